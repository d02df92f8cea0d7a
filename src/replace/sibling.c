/* SPDX-License-Identifier: MIT */
/* Temporary files beside the name that they are to become. */
#include "replace/sibling.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"

#define MARK   ".headstart-"
#define DIGITS 8
/* A name of 255 bytes (NAME_MAX) leaves no room for the rest, so it is cut. */
#define NAME_KEPT (255 - 1 - (int)strlen(MARK) - DIGITS)
/* There are 2^32 names: after so many collisions something else is wrong. */
#define ATTEMPTS 100

int folder_open(const char *path, int *ret_folder, char **ret_name)
{
	_cleanup_free_ char *folder = strdup(path), *name = NULL;
	_cleanup_close_ int fd = -1;
	char *slash;

	if (!folder)
		return -ENOMEM;
	slash = strrchr(folder, '/');
	name = strdup(slash ? slash + 1 : folder);
	if (!name)
		return -ENOMEM;
	if (streq(name, "") || streq(name, ".") || streq(name, ".."))
		return path[0] ? -EISDIR : -ENOENT;
	if (slash)
		slash[slash == folder] = '\0';
	fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_folder = TAKE_FD(fd);
	*ret_name = TAKE_PTR(name);
	return 0;
}

int folder_sync(int folder)
{
	/* Some file systems (FUSE, NFS) refuse to sync a folder: the changes in it were made nevertheless. */
	if (fsync(folder) < 0 && errno != EINVAL && errno != ENOSYS && errno != EROFS)
		return -errno;
	return 0;
}

static bool is_temporary(const char *name)
{
	size_t n = strlen(name), tail = strlen(MARK) + DIGITS;

	if (name[0] != '.' || n < 1 + tail || !after_prefix(name + n - tail, MARK))
		return false;
	for (const char *digit = name + n - DIGITS; *digit; digit++)
		if (!isxdigit((unsigned char)*digit))
			return false;
	return true;
}

/*
 * Holds the lock until the name is gone: a process that has just made the file waits for the lock, and then sees that
 * its file is gone (lock_own).
 */
static void remove_abandoned(int folder, const char *name)
{
	_cleanup_close_ int fd =
		openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		unlinkat(folder, name, 0);
}

void siblings_sweep(int folder)
{
	_cleanup_closedir_ DIR *entries = NULL;
	struct dirent *entry;

	if (opendir_at(folder, ".", &entries) < 0)
		return;
	while ((entry = readdir(entries)))
		if (is_temporary(entry->d_name))
			remove_abandoned(folder, entry->d_name);
}

static int temporary_name(const char *name, char **ret)
{
	uint32_t random;

	if (getrandom(&random, sizeof(random), 0) < 0)
		return -errno;
	return asprintf(ret, ".%.*s" MARK "%0*x", NAME_KEPT, name, DIGITS, random) < 0 ? -ENOMEM : 0;
}

/*
 * Opens the file again and locks it. Returns the descriptor, or -ENOENT if the file is gone: a sweep may have come in
 * between. A file system without locks is no reason to fail, since nothing can sweep there either.
 */
static int lock_own(int folder, const char *temporary)
{
	_cleanup_close_ int fd =
		openat(folder, temporary, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -errno;
	while (flock(fd, LOCK_EX) < 0 && errno == EINTR)
		;
	return fstat(fd, &st) < 0 || st.st_nlink > 0 ? TAKE_FD(fd) : -ENOENT;
}

int sibling_create(int folder, const char *name, int *ret_fd, int *ret_lock, char **ret_temporary)
{
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		_cleanup_free_ char *temporary = NULL;
		_cleanup_close_ int fd = -1, lock = -1;
		int r = temporary_name(name, &temporary);

		if (r < 0)
			return r;
		fd = openat(folder, temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0 && errno != EEXIST)
			return -errno;
		if (fd < 0)
			continue;
		lock = lock_own(folder, temporary);
		if (lock == -ENOENT)
			continue;
		if (lock < 0) {
			unlinkat(folder, temporary, 0);
			return lock;
		}
		*ret_fd = TAKE_FD(fd);
		*ret_lock = TAKE_FD(lock);
		*ret_temporary = TAKE_PTR(temporary);
		return 0;
	}
	return -EEXIST;
}

int sibling_link(int folder, const char *existing, const char *name, char **ret_temporary)
{
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		_cleanup_free_ char *temporary = NULL;
		int r = temporary_name(name, &temporary);

		if (r < 0)
			return r;
		if (linkat(folder, existing, folder, temporary, 0) == 0) {
			*ret_temporary = TAKE_PTR(temporary);
			return 0;
		}
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}
