/* SPDX-License-Identifier: MIT */
/* Work that root does for a user in that user's own folders, by a process that has all the user's ids. */
#pragma once

/*
 * Forks a child and waits for it. The child becomes this user (all user and group ids, supplementary groups; an
 * environment of HOME, USER, LOGNAME and PATH; "/" as its folder), calls `work` and exits with the status that `work`
 * returns. Nothing below the user's home is touched before that. The child is killed after a minute, because a user's
 * home can lie on a file system that the user serves. Returns the exit status, -ETIME if the child took too long,
 * -EINTR if a signal ended it, -EPERM if it could not become the user, or negative errno.
 */
int as_user(const char *name, int (*work)(void *context), void *context);
