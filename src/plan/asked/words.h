/* SPDX-License-Identifier: MIT */
/* Arguments in our own memory, for format/asked.h. Internal to src/plan/asked. */
#pragma once

#include <stddef.h>

/* The first member of whatever is the context of an asked_source. */
struct words {
	const char *const *argv; /* borrowed; ends with NULL */
	unsigned int n;
};

struct words words_of(const char *const *argv);

/* asked_source.read() */
long words_read(void *context, unsigned int number, size_t offset, char *text, size_t size);
