/* SPDX-License-Identifier: MIT */
/*
 * What is known of programs, as a file (learn/records.h) with the magic "headstart-known". A record is
 *
 *     STARTS COLD TRIES BYTES LAST-START LAST-COLD LAST-TRY LEARNT KEPT-BYTES KEY PATH
 *
 * KEY is hexadecimal; version 1 has none.
 */
#pragma once

#include "learn/known.h"
#include "learn/records.h"

#define KNOWN_FILE_MAX (16u << 20) /* bytes */

/* *ret, which must be empty, is filled in only if the file is good. -ENOMEM counts as damaged. */
enum records_fault known_parse(const char *data, size_t size, struct known *ret);

/* *ret_data, malloc()ed, is the caller's. Returns 0 or -ENOMEM. */
int known_serialize(const struct known *known, char **ret_data, size_t *ret_size);
