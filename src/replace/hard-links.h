/* SPDX-License-Identifier: MIT */
/* The names of a file in a folder. */
#pragma once

#include <sys/stat.h>

/*
 * Calls `take` for each name that the file with this status has in the folder `path`, which is relative to `at`; symbolic
 * links are none. A folder that may not be listed has none. Returns 0, the first negative errno of `take`, or another one.
 */
int hard_links_in(int at, const char *path, const struct stat *file,
	int (*take)(void *context, const char *name), void *context);
