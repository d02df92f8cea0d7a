/* SPDX-License-Identifier: MIT */
/* What unit tests leave is removed with the folder that they made for it. */
#pragma once

#include <ftw.h>
#include <stdio.h>

static inline int tree_remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	return remove(path);
}

/* Removes a folder and all that is in it; 0, or a failed teardown. */
static inline int tree_remove(const char *path)
{
	return nftw(path, tree_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
