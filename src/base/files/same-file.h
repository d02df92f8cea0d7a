/* SPDX-License-Identifier: MIT */
/* Whether two names, or a name and a descriptor, lead to one file. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

static inline bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Whether the open file still has that name. */
static inline bool is_still_named(int fd, const char *path)
{
	struct stat open_file, named;

	return fstat(fd, &open_file) == 0 && lstat(path, &named) == 0 && same_file(&open_file, &named);
}

struct statx;

/*
 * Whether this canonical path leads to the same file as `status`. If only `cached` names count, nothing is waited for; before Linux 5.12 it may
 * wait all the same.
 */
bool path_leads_to(const char *path, const struct statx *status, bool cached);
