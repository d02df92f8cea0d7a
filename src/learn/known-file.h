/* SPDX-License-Identifier: MIT */
/*
 * What is known of programs, as a file:
 *
 *     headstart-known 2 CHECKSUM          hexadecimal, XXH3-64 of all that follows this line
 *     STARTS COLD TRIES BYTES LAST-START LAST-COLD LAST-TRY LEARNT KEPT-BYTES KEY PATH NUL
 *     …
 *
 * KEY is hexadecimal; version 1 has none. A path ends with a NUL instead of a newline, because it may contain newlines.
 */
#pragma once

#include "learn/known.h"

#define KNOWN_FILE_MAX (16u << 20) /* bytes */

enum known_fault {
	KNOWN_GOOD,
	KNOWN_NEWER,   /* a newer headstart has written it */
	KNOWN_DAMAGED, /* it is not what headstart wrote */
};

/* *ret, which must be empty, is filled in only if the file is good. -ENOMEM counts as damaged. */
enum known_fault known_parse(const char *data, size_t size, struct known *ret);

/* *ret_data, malloc()ed, is the caller's. Returns 0 or -ENOMEM. */
int known_serialize(const struct known *known, char **ret_data, size_t *ret_size);
