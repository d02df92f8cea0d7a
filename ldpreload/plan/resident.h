/* SPDX-License-Identifier: MIT */
/* Whether a page of a file is in the page cache, without waiting for the disk. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum resident {
	RESIDENT_NO,
	RESIDENT_YES,
	RESIDENT_UNKNOWN, /* gone, unreadable, past the end, or a file system that cannot tell (tmpfs,
			     overlayfs) */
};

/* For a path that a plan names: follows no link, and opens nothing but a regular file. Also answers NO when not even
 * the file's directory entry is cached. */
enum resident resident_planned(const char *path, uint64_t offset);

/* The same for a file that the program or ld.so opens by that path in any case: follows links. */
enum resident resident_at(const char *path, uint64_t offset);

/* The same for an object that ld.so has just mapped; of a relaid one, looks at its hot region instead, in two places.
 * Also says whether it is one. */
enum resident resident_object(const char *path, uint64_t offset, bool *ret_relaid);
