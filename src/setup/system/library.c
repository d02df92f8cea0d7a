/* SPDX-License-Identifier: MIT */
/* Examines the library, and who could replace it. */
#include "setup/system/library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static bool only_root_writes(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_uid == 0 && (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Checks a canonical path and the folders above it. */
static bool only_root_can_replace(char *path)
{
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		bool good;

		*at = '\0';
		good = only_root_writes(path);
		*at = '/';
		if (!good)
			return false;
	}
	return only_root_writes("/") && only_root_writes(path);
}

/* Compares file systems if the kernel does not distinguish mounts. */
static int same_mount(const char *a, const char *b, bool *ret)
{
	struct statx first, second;

	if (statx(AT_FDCWD, a, 0, STATX_MNT_ID, &first) < 0 ||
		statx(AT_FDCWD, b, 0, STATX_MNT_ID, &second) < 0)
		return -errno;
	if (first.stx_mask & second.stx_mask & STATX_MNT_ID)
		*ret = first.stx_mnt_id == second.stx_mnt_id;
	else
		*ret = first.stx_dev_major == second.stx_dev_major &&
			first.stx_dev_minor == second.stx_dev_minor;
	return 0;
}

int library_check(const struct loader *loader, const char *path, const char **ret_problem)
{
	_cleanup_free_ char *canonical = realpath(path, NULL);
	struct object_kind kind;
	bool early;
	int r;

	*ret_problem = NULL;
	if (!canonical && errno == ENOENT) {
		*ret_problem = "does not exist";
		return 0;
	}
	if (!canonical)
		return -errno;
	r = object_kind_of(canonical, &kind, ret_problem);
	if (r == -ENOEXEC)
		return 0;
	if (r < 0)
		return r;
	if (!object_kind_same(&kind, &loader->kind))
		*ret_problem = "is for another kind of processor";
	else if (!only_root_can_replace(canonical))
		*ret_problem =
			"could be replaced by others than root: it and all folders above it must belong to "
			"root, and nobody else may write to them";
	if (*ret_problem)
		return 0;
	r = same_mount(canonical, loader->path, &early);
	if (r == 0 && !early)
		*ret_problem = "lies on a file system that is mounted later than the dynamic loader's";
	return r;
}
