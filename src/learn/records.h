/* SPDX-License-Identifier: MIT */
/*
 * A file of records, as the daemon keeps what it knows:
 *
 *     MAGIC VERSION CHECKSUM          hexadecimal, XXH3-64 of all that follows this line
 *     RECORD NUL
 *     …
 *
 * A record ends with a NUL instead of a newline, because it has paths, which may contain newlines.
 */
#pragma once

#include <stddef.h>

enum records_fault {
	RECORDS_GOOD,
	RECORDS_NEWER,   /* a newer headstart has written it */
	RECORDS_DAMAGED, /* it is not what headstart wrote */
};

/* Takes one record. Returns 0 or negative errno: it is no good one, or memory has run out. */
typedef int records_take(void *context, const char *record, unsigned version);

/* Calls `take` for each record, until it fails. What was taken counts only if all is good. -ENOMEM counts as damaged. */
enum records_fault records_parse(const char *data, size_t size, const char *magic, unsigned newest_version,
	records_take *take, void *context);

/* *ret_data, malloc()ed, is the caller's. Returns 0 or -ENOMEM. */
int records_serialize(const char *magic, unsigned version, const char *body, size_t body_size,
	char **ret_data, size_t *ret_size);
