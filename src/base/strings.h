/* SPDX-License-Identifier: MIT */
/* A table of NUL-terminated strings addressed by offset, as file formats hold them; and small string helpers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct string_table {
	char *data;      /* owned */
	size_t size;     /* bytes in use */
	size_t capacity; /* bytes */
};

/* Appends the string and its NUL; *ret_offset is where it begins. Returns 0, -ENOMEM or -EOVERFLOW (4 GiB). */
int string_table_add(struct string_table *table, const char *string, uint32_t *ret_offset);
void string_table_release(struct string_table *table);

static inline void string_table_releasep(struct string_table *table)
{
	string_table_release(table);
}

static inline bool streq(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/*
 * The decimal number that follows `key` and blanks at the start of a line ("MemAvailable:"; "" means the first line).
 * Returns whether there is one that fits.
 */
bool number_of_line(const char *text, const char *key, uint64_t *ret);

/* Whether the string ends with `end` and is longer. */
static inline bool ends_with(const char *string, const char *end)
{
	size_t length = strlen(string), n = strlen(end);

	return length > n && streq(string + length - n, end);
}

/* What follows the prefix in the string, or NULL. */
static inline const char *after_prefix(const char *string, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(string, prefix, n) == 0 ? string + n : NULL;
}
