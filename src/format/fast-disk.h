/* SPDX-License-Identifier: MIT */
/*
 * The mark of a disk on which whole mode has found that reading ahead gains nothing: an empty file in the state folder.
 * Without it every start would pay for a prefetcher that finds the same. Freestanding: the shim and the prefetcher must
 * agree.
 *
 * In place of a program's path, the name is made of st_dev of the object that was mapped first (format/plan-name.h). Such a
 * number may belong to another disk after the next boot, and a host may have answered from its memory. So a mark counts for an
 * hour only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define FAST_DISK_NAME_SIZE 21 /* bytes, with the NUL */
#define FAST_DISK_SECONDS   3600

static inline void fast_disk_name(uint64_t device, char name[FAST_DISK_NAME_SIZE])
{
	char digits[FAST_DISK_NAME_SIZE];
	unsigned n = 0, at = 0;

	do
		digits[n++] = (char)('0' + device % 10);
	while (device /= 10);
	while (n > 0)
		name[at++] = digits[--n];
	name[at] = '\0';
}

/* Whether a mark of that time still counts. Both are in seconds since the epoch; a clock may have been turned back. */
static inline bool fast_disk_counts(int64_t marked, int64_t now)
{
	return marked <= now && now - marked < FAST_DISK_SECONDS;
}
