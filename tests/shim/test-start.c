/* SPDX-License-Identifier: MIT */
/* Unit tests of what the shims keep of the environment: values that just fit, and values that are a byte longer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/start.h"

const char shim_name[] = "preload";

#define STORAGE  2048 /* bytes, with a NUL for each value: ldpreload/core/start.c */
#define ABSENT   (-1) /* the variable is not set, or its value is not kept */
#define MANGLED  (-2) /* what is kept is something else */
#define LOG_NAME ((long)sizeof("HEADSTART_LOG=") - 1)

/* The lengths of the values, in the order in which they are kept. The first counts with its name. */
struct lengths {
	long log, prefetcher, state;
};

/* Returns NAME=xxx… with a value of that length; NULL if the variable is absent. The caller frees it. */
static char *make_entry(const char *name, long length)
{
	size_t size = strlen(name);
	char *entry;

	if (length == ABSENT)
		return NULL;
	entry = malloc(size + (size_t)length + 1);
	assert_non_null(entry);
	strcpy(entry, name);
	for (long i = 0; i < length; i++)
		entry[size++] = 'x';
	entry[size] = '\0';
	return entry;
}

static long length_kept(const char *kept, const char *value)
{
	if (!kept)
		return ABSENT;
	return value && strcmp(kept, value) == 0 ? (long)strlen(kept) : MANGLED;
}

static const char *value_of(const char *entry)
{
	return entry ? strchr(entry, '=') + 1 : NULL;
}

/*
 * Returns what shim_begin() keeps of these in a user's environment in which LD_PRELOAD names the shim. Works once in
 * a process.
 */
static struct lengths keep(const struct lengths *set)
{
	char program[] = "program", preload[] = "LD_PRELOAD=/folder/libheadstart-preload.so";
	char *const log = set->log == ABSENT ? NULL : make_entry("HEADSTART_LOG=", set->log - LOG_NAME);
	char *const prefetcher = make_entry("HEADSTART_PREFETCH=", set->prefetcher);
	char *const state = make_entry("HEADSTART_STATE=", set->state);
	char *const entries[] = {preload, log, prefetcher, state};
	const uintptr_t auxv[] = {AT_PHENT, sizeof(ElfW(Phdr)), AT_EXECFN, (uintptr_t)program, AT_EUID, 1000,
		AT_SECURE, 0, AT_NULL, 0};
	/* The first stack frame: the arguments, the environment, and directly behind it the auxiliary vector. */
	uintptr_t frame[32] = {(uintptr_t)program, 0};
	struct lengths kept = {MANGLED, MANGLED, MANGLED};
	size_t n = 2;

	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++)
		if (entries[i])
			frame[n++] = (uintptr_t)entries[i];
	frame[n++] = 0;
	for (size_t i = 0; i < sizeof(auxv) / sizeof(*auxv); i++)
		frame[n++] = auxv[i];
	if (shim_begin(1, (char **)frame, (char **)frame + 2) == program)
		kept = (struct lengths){
			.log = length_kept(shim_start.log, log),
			.prefetcher = length_kept(shim_start.prefetcher, value_of(prefetcher)),
			.state = length_kept(shim_start.folders.state, value_of(state)),
		};
	free(log);
	free(prefetcher);
	free(state);
	return kept;
}

/* A process keeps its values once, so each case has a process of its own. */
static void expect(struct lengths set, struct lengths kept)
{
	struct lengths *seen =
		mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t child;

	assert_ptr_not_equal(seen, MAP_FAILED);
	fflush(NULL);
	child = fork();
	if (child == 0) {
		*seen = keep(&set);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(seen->log, kept.log);
	assert_int_equal(seen->prefetcher, kept.prefetcher);
	assert_int_equal(seen->state, kept.state);
	munmap(seen, sizeof(*seen));
}

static void values_that_fit_are_kept(void **state)
{
	expect((struct lengths){20, 30, 40}, (struct lengths){20, 30, 40});
	expect((struct lengths){ABSENT, 30, 0}, (struct lengths){ABSENT, 30, 0});
	expect((struct lengths){ABSENT, ABSENT, ABSENT}, (struct lengths){ABSENT, ABSENT, ABSENT});
}

static void one_value_may_fill_the_storage(void **state)
{
	expect((struct lengths){STORAGE - 2, ABSENT, ABSENT}, (struct lengths){STORAGE - 2, ABSENT, ABSENT});
	expect((struct lengths){STORAGE - 1, ABSENT, ABSENT}, (struct lengths){STORAGE - 1, ABSENT, ABSENT});
	expect((struct lengths){ABSENT, ABSENT, STORAGE - 1}, (struct lengths){ABSENT, ABSENT, STORAGE - 1});
}

static void a_byte_more_counts_as_not_set(void **state)
{
	expect((struct lengths){STORAGE, 30, 40}, (struct lengths){ABSENT, 30, 40});
	expect((struct lengths){ABSENT, STORAGE, 40}, (struct lengths){ABSENT, ABSENT, 40});
	expect((struct lengths){ABSENT, ABSENT, STORAGE}, (struct lengths){ABSENT, ABSENT, ABSENT});
}

static void values_may_fill_the_storage_together(void **state)
{
	expect((struct lengths){999, 499, STORAGE - 1501}, (struct lengths){999, 499, STORAGE - 1501});
	expect((struct lengths){999, 499, STORAGE - 1500}, (struct lengths){999, 499, ABSENT});
}

/* There is room for one NUL more. */
static void the_last_byte_is_an_empty_value(void **state)
{
	expect((struct lengths){STORAGE - 2, 0, 1}, (struct lengths){STORAGE - 2, 0, ABSENT});
	expect((struct lengths){STORAGE - 2, 1, 0}, (struct lengths){STORAGE - 2, ABSENT, 0});
}

/* An empty value in a full storage would make the computed room for the next one as large as the address space. */
static void nothing_is_kept_behind_a_full_storage(void **state)
{
	expect((struct lengths){STORAGE - 1, 0, 40}, (struct lengths){STORAGE - 1, ABSENT, ABSENT});
	expect((struct lengths){STORAGE - 1, 0, 100000}, (struct lengths){STORAGE - 1, ABSENT, ABSENT});
	expect((struct lengths){STORAGE - 2, 0, 0}, (struct lengths){STORAGE - 2, 0, ABSENT});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_that_fit_are_kept),
		cmocka_unit_test(one_value_may_fill_the_storage),
		cmocka_unit_test(a_byte_more_counts_as_not_set),
		cmocka_unit_test(values_may_fill_the_storage_together),
		cmocka_unit_test(the_last_byte_is_an_empty_value),
		cmocka_unit_test(nothing_is_kept_behind_a_full_storage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
