/* SPDX-License-Identifier: MIT */
/* For unit tests: paths in a folder that a test has made, and its removal with all that is in it. */
#pragma once

#include <ftw.h>
#include <stdio.h>

static inline int tree_remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	return remove(path);
}

/* Returns FOLDER/NAME, valid for seven more calls. */
static inline const char *tree_path(const char *folder, const char *name)
{
	static char paths[8][600];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

/* Returns 0, or a status that fails the teardown. */
static inline int tree_remove(const char *path)
{
	return nftw(path, tree_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
