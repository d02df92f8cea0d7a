/* SPDX-License-Identifier: MIT */
/*
 * Who besides root can change where a path leads.
 *
 * Root is often started with a user's environment (sudo -E, su -m): HOME, XDG_* and HEADSTART_STATE then name folders of
 * that user, who can at any moment make one of them a link to a folder of root's. So a process of root's neither reads
 * nor writes below such a path. Where only root can change the way, nobody can change it after it has been checked.
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
 * Follows `path`, an absolute one, link by link. Each folder, link and file on it must be root's, and nobody else may
 * be able to write to it. A sticky folder, such as /tmp, may be on the way to something of root's, but not at its end: what
 * is not there yet anybody could make there. The rest of the path need not exist. Returns 0, -EPERM with *ret filled in, -EINVAL for a relative path, or negative errno.
 */
int stranger_find(const char *path, struct stranger *ret);

/* The same for processes of root; 0 for those of others, who can be tricked only into what is theirs to do. */
int stranger_to_us(const char *path, struct stranger *ret);
