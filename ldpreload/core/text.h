/* SPDX-License-Identifier: MIT */
/* Strings without a libc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A string under construction in the caller's buffer; `overflow` says that it did not fit. */
struct shim_text {
	char *at, *end; /* end: one past the buffer */
	bool overflow;
};

static inline struct shim_text shim_text(char *buffer, size_t size)
{
	buffer[0] = '\0';
	return (struct shim_text){.at = buffer, .end = buffer + size};
}

void shim_text_add(struct shim_text *text, const char *string);
void shim_text_add_character(struct shim_text *text, char character);
void shim_text_add_number(struct shim_text *text, uint64_t number);

size_t shim_length(const char *string);
bool shim_equal(const char *a, const char *b);
bool shim_begins(const char *string, const char *prefix);
