/* SPDX-License-Identifier: MIT */
/* For unit tests: removes the folder that a test has made, with all that is in it. */
#pragma once

#include <ftw.h>
#include <stdio.h>

static inline int tree_remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	return remove(path);
}

/* Returns 0, or a status that fails the teardown. */
static inline int tree_remove(const char *path)
{
	return nftw(path, tree_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
