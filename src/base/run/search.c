/* SPDX-License-Identifier: MIT */
/* The search for a command. */
#include "base/run/search.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool search_next(const char **rest, char folder[PATH_MAX])
{
	while (*rest) {
		const char *at = *rest;
		size_t length = strcspn(at, ":");

		*rest = at[length] ? at + length + 1 : NULL;
		if (length >= PATH_MAX)
			continue;
		memcpy(folder, at, length);
		strcpy(folder + length, length ? "" : ".");
		return true;
	}
	return false;
}

int search_folders(
	const char *folders, const char *command, search_check *check, void *context, char ret[PATH_MAX])
{
	char folder[PATH_MAX];
	int reason = -ENOENT;

	while (search_next(&folders, folder)) {
		int r;

		if (snprintf(ret, PATH_MAX, "%s/%s", folder, command) >= PATH_MAX)
			continue;
		r = check(context, ret);
		if (r == 0)
			return 0;
		if (r == -EACCES)
			reason = r;
	}
	return reason;
}

int search_check_executable(void *context, const char *path)
{
	struct stat st;

	(void)context;
	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EACCES;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0 ? -errno : 0;
}
