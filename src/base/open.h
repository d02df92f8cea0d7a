/* SPDX-License-Identifier: MIT */
/*
 * Opening a file that somebody else may have put something else in place of. Opening has effects: a terminal comes up, a
 * watchdog starts, a tape rewinds, a writer that waits at a FIFO goes on. fstat(2) on a descriptor comes too late, lstat(2)
 * before it too early. So a path is first opened as O_PATH, which opens nothing; what was found is looked at; and if it is
 * a regular file, it is that very file which is opened, by /proc/self/fd. Where /proc is missing, as in a chroot that is being
 * made, the path is opened a second time, and something else may have come there in between; with OPEN_NO_LINKS, which is for
 * paths that come from a plan or a profile, nothing is opened then.
 *
 * openat2(2), Linux 5.6, follows no link on the way. Where there is none, or seccomp refuses it (ENOSYS, EPERM), links on
 * the way are followed, the last component excepted. Even then nothing but a regular file is opened.
 */
#pragma once

#include <linux/openat2.h>
#include <sys/types.h>

enum open_options {
	OPEN_NO_LINKS = 1 << 0, /* -ELOOP for a path with a symbolic link, on the way or at the end */
	OPEN_CACHED =
		1 << 1, /* -EAGAIN where the dentry cache alone cannot tell; no effect before Linux 5.12 */
	OPEN_NO_ATIME = 1 << 2, /* the file's time of access stays; for its owner and root only */
};

/*
 * Opens a regular file to read, with O_NONBLOCK (a lease of somebody's is not waited for: -EAGAIN), O_NOCTTY and
 * O_CLOEXEC. Returns a descriptor, -EISDIR for a folder, -EINVAL for anything else that is no regular file, -EOPNOTSUPP
 * with OPEN_NO_LINKS without /proc, or negative errno.
 */
int open_regular(const char *path, unsigned options);

/*
 * The same for a type of file (S_IFMT): S_IFREG as above, S_IFDIR to list it, S_IFLNK as O_PATH, of the link itself. Returns a
 * descriptor, or negative errno: -ENOTDIR for what is no folder, -EINVAL for what is no link.
 */
int open_typed(const char *path, mode_t type, unsigned options);

/*
 * Its two steps, for a caller that has io_uring take the first: what to give to openat2(2), and what to do with the
 * descriptor that came of it. open_finish() consumes `fd` and returns as open_typed().
 */
struct open_how open_begin(mode_t type, unsigned options);
int open_finish(int fd, mode_t type, unsigned options);
