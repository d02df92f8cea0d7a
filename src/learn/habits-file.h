/* SPDX-License-Identifier: MIT */
/*
 * Habits as a file (learn/records.h) with the magic "headstart-habits". A record is
 *
 *     HOUR WARMED STARTS-AT-0 … STARTS-AT-23 PATH
 */
#pragma once

#include "learn/habits.h"
#include "learn/records.h"

#define HABITS_FILE_MAX (4u << 20) /* bytes */

/* *ret, which must be empty, is filled in only if the file is good. */
enum records_fault habits_parse(const char *data, size_t size, struct habits *ret);

/* *ret_data, malloc()ed, is the caller's. Returns 0 or -ENOMEM. */
int habits_serialize(const struct habits *habits, char **ret_data, size_t *ret_size);
