/* SPDX-License-Identifier: MIT */
/* Atomic publish through a sibling temporary file. */
#include "replace/publish.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "replace/sibling.h"

static int fill(int fd, mode_t mode, const void *data, size_t size)
{
	int r = write_full(fd, data, size);

	if (r < 0)
		return r;
	if (fchmod(fd, mode) < 0 || fsync(fd) < 0)
		return -errno;
	return 0;
}

struct publishing {
	unsigned rename_flags;
	bool (*is_wanted)(const void *context); /* NULL: it is */
	const void *context;
};

static int publish(const char *path, mode_t mode, const void *data, size_t size, const struct publishing *how)
{
	_cleanup_free_ char *name = NULL, *temporary = NULL;
	_cleanup_close_ int folder = -1, fd = -1, lock = -1;
	int r = folder_open(path, &folder, &name);

	if (r < 0)
		return r;
	siblings_sweep(folder);
	r = sibling_create(folder, name, &fd, &lock, &temporary);
	if (r < 0)
		return r;
	r = fill(fd, mode, data, size);
	close(TAKE_FD(fd)); /* else nobody could execute it once it has its name: ETXTBSY */
	if (r == 0 && how->is_wanted && !how->is_wanted(how->context))
		r = -ESTALE;
	if (r == 0 && renameat2(folder, temporary, folder, name, how->rename_flags) < 0)
		r = -errno;
	if (r < 0) {
		unlinkat(folder, temporary, 0);
		return r;
	}
	return folder_sync(folder);
}

int publish_file(const char *path, mode_t mode, const void *data, size_t size)
{
	return publish(path, mode, data, size, &(struct publishing){0});
}

int publish_file_if(const char *path, mode_t mode, const void *data, size_t size,
	bool (*is_wanted)(const void *context), const void *context)
{
	return publish(
		path, mode, data, size, &(struct publishing){.is_wanted = is_wanted, .context = context});
}

int publish_new_file(const char *path, mode_t mode, const void *data, size_t size)
{
	return publish(path, mode, data, size, &(struct publishing){.rename_flags = RENAME_NOREPLACE});
}

void publish_sweep(const char *path)
{
	_cleanup_free_ char *name = NULL;
	_cleanup_close_ int folder = -1;

	if (folder_open(path, &folder, &name) == 0)
		siblings_sweep(folder);
}

int publish_sync(const char *path)
{
	_cleanup_free_ char *name = NULL;
	_cleanup_close_ int folder = -1;
	int r = folder_open(path, &folder, &name);

	return r < 0 ? r : folder_sync(folder);
}

int make_folders(const char *path, mode_t mode)
{
	_cleanup_free_ char *partial = strdup(path);

	if (!partial)
		return -ENOMEM;
	if (!*partial)
		return -ENOENT;
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

int make_folders_for_all(const char *path)
{
	mode_t mask = umask(022);
	int r = make_folders(path, 0755);

	umask(mask);
	return r;
}
