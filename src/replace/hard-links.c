/* SPDX-License-Identifier: MIT */
#include "replace/hard-links.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/same-file.h"

int hard_links_in(int at, const char *path, const struct stat *file,
	int (*take)(void *context, const char *name), void *context)
{
	_cleanup_closedir_ DIR *folder = NULL;
	const struct dirent *entry;
	int r = opendir_at(at, path, &folder);

	if (r < 0)
		return r == -EACCES ? 0 : r;
	while (r == 0 && (entry = readdir(folder))) {
		struct stat st;

		if (entry->d_ino == file->st_ino &&
			fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			same_file(&st, file))
			r = take(context, entry->d_name);
	}
	return r;
}
