/* SPDX-License-Identifier: MIT */
/*
 * Who besides root can change where a path leads.
 *
 * Root is often started with a user's environment (sudo -E, su -m): HOME, XDG_* and HEADSTART_STATE then name folders
 * of that user, who can at any moment replace one of them by a link to a folder of root's. So a process of root's
 * neither reads nor writes below such a path. A path that only root can change stays as it was when it was checked.
 */
#pragma once

#include <limits.h>
#include <sys/types.h>

/* The first place on a path that somebody besides root can change. */
struct stranger {
	char path[PATH_MAX]; /* canonical */
	uid_t owner;         /* 0: the place is root's, but others can write to it */
};

/*
 * Follows `path`, an absolute one, link by link. Each folder, link and file on it must be root's, and writable by
 * nobody else. A sticky folder such as /tmp may lie on the way to something of root's, but not at the end of the path,
 * where anybody could make what does not exist yet. What a user's process serves (FUSE) is that user's, and is not asked: it might
 * never answer. Where a path leads into an automounter's folder (autofs) and nothing is mounted there yet, anybody's may be: the owner is
 * (uid_t)-1. The rest of the path need not exist. Returns 0, -EPERM with *ret filled in, -EINVAL for a relative path, or negative errno.
 */
int stranger_find(const char *path, struct stranger *ret);

/*
 * The same for a canonical path, by what the kernel has cached of it, so that it waits neither for a disk nor for a
 * server. -EAGAIN if that is not enough. Before Linux 5.12 it may wait.
 */
int stranger_find_cached(const char *path, struct stranger *ret);

/*
 * The same for any path, also one with links. It may wait for a disk of root's, to read names and where links lead. It asks
 * nobody else, whoever serves what lies behind the first place that others can change; before Linux 5.12 perhaps who serves that place.
 */
int stranger_find_unasked(const char *path, struct stranger *ret);

/* The same for a path that begins in the open folder, unless it is an absolute one. */
int stranger_find_unasked_at(int folder, const char *path, struct stranger *ret);

/* The same for processes of root. Returns 0 for those of others: a trick would only make them do what their user may do
 * anyway. */
int stranger_to_us(const char *path, struct stranger *ret);
