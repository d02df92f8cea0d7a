/* SPDX-License-Identifier: MIT */
#include "base/paths/hidden.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#define NOBODY ((uid_t)-1)

/* Calls it for each folder on the path until it returns true. `failed` is what a folder counts as that cannot be examined. */
static bool any_folder(
	const char *path, bool (*call)(const struct statx *st, uid_t user), uid_t user, bool failed)
{
	char folder[PATH_MAX];

	if (path[0] != '/' || strlen(path) >= sizeof(folder))
		return failed;
	strcpy(folder, path);
	for (char *slash = strrchr(folder, '/'); slash; slash = strrchr(folder, '/')) {
		struct statx status;

		*slash = '\0';
		/* Whoever serves the folder is not asked anew: it might never answer. */
		if (statx(AT_FDCWD, *folder ? folder : "/", AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
			    STATX_MODE | STATX_UID | STATX_GID, &status) < 0)
			return failed;
		if (call(&status, user))
			return true;
	}
	return false;
}

bool folder_hides(const struct statx *st, uid_t user)
{
	mode_t needed = st->stx_uid == user ? S_IRUSR | S_IXUSR : S_IROTH | S_IXOTH;

	return (st->stx_mode & needed) != needed;
}

static bool is_roots_alone(const struct statx *st, uid_t user)
{
	return st->stx_uid == 0 && !(st->stx_mode & S_IXOTH) &&
		(st->stx_gid == 0 || !(st->stx_mode & S_IXGRP));
}

bool hidden_from_others(const char *path)
{
	return any_folder(path, folder_hides, NOBODY, true);
}

bool hidden_from(const char *path, uid_t user)
{
	return any_folder(path, folder_hides, user, true);
}

bool closed_to_others(const char *path)
{
	return any_folder(path, is_roots_alone, NOBODY, false);
}

bool may_show_of(const char *program, const char *path)
{
	return !hidden_from_others(path) || closed_to_others(program);
}
