/* SPDX-License-Identifier: MIT */
#include "base/paths/hidden.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* Calls it for each folder on the path until it returns true. `failed` is what a folder counts as that cannot be examined. */
static bool any_folder(const char *path, bool (*call)(const struct stat *st), bool failed)
{
	char folder[PATH_MAX];
	struct stat st;

	if (path[0] != '/' || strlen(path) >= sizeof(folder))
		return failed;
	strcpy(folder, path);
	for (char *slash = strrchr(folder, '/'); slash; slash = strrchr(folder, '/')) {
		*slash = '\0';
		if (stat(*folder ? folder : "/", &st) < 0)
			return failed;
		if (call(&st))
			return true;
	}
	return false;
}

static bool hides(const struct stat *st)
{
	return (st->st_mode & (S_IROTH | S_IXOTH)) != (S_IROTH | S_IXOTH);
}

static bool is_roots_alone(const struct stat *st)
{
	return st->st_uid == 0 && !(st->st_mode & S_IXOTH) && (st->st_gid == 0 || !(st->st_mode & S_IXGRP));
}

bool hidden_from_others(const char *path)
{
	return any_folder(path, hides, true);
}

bool closed_to_others(const char *path)
{
	return any_folder(path, is_roots_alone, false);
}

bool may_show_of(const char *program, const char *path)
{
	return !hidden_from_others(path) || closed_to_others(program);
}
