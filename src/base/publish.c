/* SPDX-License-Identifier: MIT */
/* Atomic publish through a sibling temporary file. */
#include "base/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/io.h"

static int fsync_folder_of(const char *path)
{
	_cleanup_free_ char *folder = strdup(path);
	_cleanup_close_ int fd = -1;
	char *slash;

	if (!folder)
		return -ENOMEM;
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Some file systems (FUSE, NFS) refuse to sync a folder: the rename has happened all the same. */
	if (fsync(fd) < 0 && errno != EINVAL && errno != ENOSYS && errno != EROFS)
		return -errno;
	return 0;
}

static int fill(int fd, mode_t mode, const void *data, size_t size)
{
	int r = write_full(fd, data, size);

	if (r < 0)
		return r;
	if (fchmod(fd, mode) < 0 || fsync(fd) < 0)
		return -errno;
	return 0;
}

int publish_file(const char *path, mode_t mode, const void *data, size_t size)
{
	_cleanup_free_ char *temporary = NULL;
	_cleanup_close_ int fd = -1;
	int r;

	if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = fill(fd, mode, data, size);
	if (r == 0 && rename(temporary, path) < 0)
		r = -errno;
	if (r < 0) {
		unlink(temporary);
		return r;
	}
	return fsync_folder_of(path);
}

int make_folders(const char *path, mode_t mode)
{
	_cleanup_free_ char *partial = strdup(path);

	if (!partial)
		return -ENOMEM;
	for (char *at = partial + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		if (mkdir(partial, mode) < 0 && errno != EEXIST)
			return -errno;
		*at = '/';
	}
	if (mkdir(partial, mode) < 0 && errno != EEXIST)
		return -errno;
	return 0;
}
