/* SPDX-License-Identifier: MIT */
/* Opens with O_PATH, looks with fstat, and opens the same file again (path_resolution(7), openat2(2),
 * proc_pid_fd(5)). */
#include "base/files/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

struct open_how open_begin(mode_t type, unsigned options)
{
	struct open_how how = {
		.flags = type == S_IFDIR ? O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC
					 : O_PATH | O_CLOEXEC,
		.resolve = (options & OPEN_NO_LINKS ? RESOLVE_NO_SYMLINKS : 0) |
			(options & OPEN_CACHED ? RESOLVE_CACHED : 0),
	};

	if (type == S_IFLNK || options & OPEN_NO_LINKS)
		how.flags |= O_NOFOLLOW;
	return how;
}

static int open_to_read(const char *path, unsigned options)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int fd = open(path, flags | (options & (OPEN_NO_ATIME | OPEN_KEEP_ATIME) ? O_NOATIME : 0));

	return fd < 0 && errno == EPERM && options & OPEN_KEEP_ATIME ? open(path, flags) : fd;
}

int open_descriptor_again(int fd, int flags)
{
	char link[32];
	int again;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	again = open(link, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return again < 0 ? -errno : again;
}

/* Opens the regular file behind an O_PATH descriptor once more, to read it. */
static int reopen(int fd, unsigned options)
{
	char link[32];
	int opened;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	opened = open_to_read(link, options);
	if (opened >= 0)
		return opened;
	/* The link leads to the file itself, whatever happened to its name, so only /proc can be missing. */
	return errno == ENOENT ? -EOPNOTSUPP : -errno;
}

int open_finish(int fd, mode_t type, unsigned options)
{
	_cleanup_close_ int found = fd;
	struct stat st;

	if (type == S_IFDIR)
		return TAKE_FD(found);
	if (fstat(found, &st) < 0)
		return -errno;
	if (type == S_IFLNK)
		return S_ISLNK(st.st_mode) ? TAKE_FD(found) : -EINVAL;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return S_ISREG(st.st_mode) ? reopen(found, options) : -EINVAL;
}

/* Without /proc, for a path that the caller has chosen: opens what lies there by now, and looks once more. */
static int open_again(const char *path, unsigned options)
{
	_cleanup_close_ int fd = open_to_read(path, options);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) ? TAKE_FD(fd) : -EINVAL;
}

int open_typed(const char *path, mode_t type, unsigned options)
{
	struct open_how how = open_begin(type, options);
	int fd = -1, r;

	errno = ENOSYS;
	if (how.resolve)
		fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	if (fd < 0 && errno == EINVAL && options & OPEN_CACHED) {
		how.resolve &= ~(uint64_t)RESOLVE_CACHED;
		fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	}
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = open(path, (int)how.flags);
	if (fd < 0)
		return -errno;
	r = open_finish(fd, type, options);
	return r == -EOPNOTSUPP && !(options & OPEN_NO_LINKS) ? open_again(path, options) : r;
}

int open_regular(const char *path, unsigned options)
{
	return open_typed(path, S_IFREG, options);
}

bool open_found_none(int error)
{
	return error == -ENOENT || error == -ENOTDIR || error == -ELOOP || error == -EISDIR ||
		error == -EINVAL;
}

int open_below(const char *root, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	_cleanup_close_ int folder = -1;
	int fd;

	if (!root[0]) {
		fd = open(path, O_PATH | O_CLOEXEC);
	} else {
		folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		fd = folder < 0 ? -1 : (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
	}
	return fd < 0 ? -errno : fd;
}
