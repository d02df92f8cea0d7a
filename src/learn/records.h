/* SPDX-License-Identifier: MIT */
/*
 * A file of records, as the daemon keeps what it knows:
 *
 *     MAGIC VERSION CHECKSUM          hexadecimal, XXH3-64 of all that follows this line
 *     RECORD NUL
 *     …
 *
 * A record ends with a path, and with a NUL instead of a newline, because paths may contain newlines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct records_format {
	const char *magic;
	unsigned version;
	size_t size_max; /* bytes of a file */

	/* Adds one record to the content. Returns 0 or negative errno: it is no good one, or memory has run out. */
	int (*take)(void *content, const char *record);

	/* Writes all records, each with its NUL. */
	void (*put)(const void *content, FILE *stream);

	/* Empties the content. */
	void (*release)(void *content);
};

enum records_fault {
	RECORDS_GOOD,
	RECORDS_NEWER,   /* a newer headstart has written it */
	RECORDS_DAMAGED, /* it is not what this headstart writes */
};

/* The content must be empty, and stays so unless all is good. -ENOMEM counts as damaged. */
enum records_fault records_parse(
	const struct records_format *format, const char *data, size_t size, void *content);

/* *ret_data, malloc()ed, is the caller's. Returns 0 or -ENOMEM. */
int records_serialize(
	const struct records_format *format, const void *content, char **ret_data, size_t *ret_size);

/* Whether the end of a record can be a path. */
bool records_is_path(const char *text);
