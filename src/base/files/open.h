/* SPDX-License-Identifier: MIT */
/*
 * Opens files that somebody may have replaced by something else. Opening has effects: a terminal comes up, a watchdog
 * starts, a tape rewinds, a writer that waits at a FIFO goes on. fstat(2) on a descriptor comes too late, lstat(2)
 * before it too early. So a path is first opened with O_PATH, which has no such effect. If fstat(2) then shows a
 * regular file, that very file is opened by /proc/self/fd. Where /proc is missing, as in a chroot that is being made,
 * the path itself is opened a second time, and may lead to something else by then. With OPEN_NO_LINKS, which is for
 * paths from a plan or a profile, nothing is opened in that case.
 *
 * openat2(2), Linux 5.6, follows no link on the way. Where the kernel lacks it or seccomp refuses it (ENOSYS, EPERM),
 * links on the way are followed, except at the last component. Even then nothing but a regular file is opened.
 */
#pragma once

#include <linux/openat2.h>
#include <stdbool.h>
#include <sys/types.h>

enum open_options {
	OPEN_NO_LINKS = 1 << 0,   /* -ELOOP for a path with a symbolic link, on the way or at the end */
	OPEN_CACHED = 1 << 1,     /* -EAGAIN if the dentry cache is not enough; no effect before Linux 5.12 */
	OPEN_NO_ATIME = 1 << 2,   /* keep the file's time of access; only for its owner and root */
	OPEN_KEEP_ATIME = 1 << 3, /* the same where we may; for others it changes, as by any read */
};

/*
 * Opens a regular file to read, with O_NONBLOCK (it does not wait for a lease: -EAGAIN), O_NOCTTY and O_CLOEXEC.
 * Returns a descriptor, -EISDIR for a folder, -EINVAL for anything else that is no regular file, -EOPNOTSUPP for
 * OPEN_NO_LINKS without /proc, or negative errno.
 */
int open_regular(const char *path, unsigned options);

/* Whether open_regular() has failed because no regular file lies there, not because it may not be opened. */
bool open_found_none(int error);

/*
 * As open_regular(), for a type of file (S_IFMT): S_IFREG as above, S_IFDIR to list it, S_IFLNK with O_PATH, the link itself.
 * Returns a descriptor, or negative errno: -ENOTDIR if it is no folder, -EINVAL if it is no link.
 */
int open_typed(const char *path, mode_t type, unsigned options);

/*
 * Its two steps, for a caller that lets io_uring do the first: the argument of openat2(2), and what to do with the
 * descriptor that this returned. open_finish() consumes `fd` and returns as open_typed().
 */
struct open_how open_begin(mode_t type, unsigned options);
int open_finish(int fd, mode_t type, unsigned options);

/*
 * Opens the file behind a descriptor once more, which may be one of O_PATH: O_RDONLY or O_RDWR, and O_NOATIME. O_NONBLOCK, O_NOCTTY and
 * O_CLOEXEC are added. Whoever calls this knows what kind of file it is. Returns a descriptor, or negative errno: -ENOENT
 * if /proc is missing.
 */
int open_descriptor_again(int fd, int flags);

/*
 * Opens a path with O_PATH below the folder `root`: no symbolic link, not even an absolute one, leads out of it. If
 * `root` is "", opens the path as it is. Returns a descriptor, or negative errno: -ENOSYS for a root before Linux 5.6.
 */
int open_below(const char *root, const char *path);
