/* SPDX-License-Identifier: MIT */
/*
 * What every target has in common. A target is LLVMFuzzerTestOneInput()
 * (https://llvm.org/docs/LibFuzzer.html): any bytes may come in, nothing may crash, hang, or break a promise
 * that must() states.
 *
 *     CC=clang meson setup -Dfuzz=true -Dtests=auto build-fuzz && ninja -C build-fuzz fuzz
 *     build-fuzz/tests/fuzz/fuzz-plan -max_total_time=300 NEW-CORPUS tests/fuzz/corpus/plan
 *
 * The corpus is what `-merge=1 -set_cover_merge=1 -use_counters=0` leaves of what was found, and seeds: plans that
 * tests/prefetch/plan-of and `headstart plan` made, profiles that tests/lib/make-profile made.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * How many inputs so far the reader accepted, with something in them for the code behind it. Each target counts them.
 * replay.c fails if there are none, because then the format has changed and the corpus has not.
 */
extern size_t inputs_taken;

#define must(promise)                                                                                        \
	do {                                                                                                 \
		if (!(promise)) {                                                                            \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #promise);              \
			abort();                                                                             \
		}                                                                                            \
	} while (0)

/* A copy of exactly this size, so that the sanitizer notices a read beyond it. */
static inline void *exact_copy(const void *data, size_t size)
{
	void *copy = calloc(1, size ? size : 1);

	must(copy != NULL);
	if (size > 0)
		memcpy(copy, data, size);
	return copy;
}

/* Reports are written to this file. */
static inline FILE *nowhere(void)
{
	static FILE *file;

	if (!file)
		file = fopen("/dev/null", "we");
	must(file != NULL);
	return file;
}

/* What parsers of settings call for each problem: it must be one printable line. Counts them in `context`, an unsigned. */
static inline void count_problem(void *context, const char *file, unsigned line, const char *what)
{
	unsigned *count = context;

	must(line > 0 && *what);
	for (; *what; what++)
		must((unsigned char)*what >= ' ' && *what != 127);
	(*count)++;
}
