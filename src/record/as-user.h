/* SPDX-License-Identifier: MIT */
/* What root does for a user in the user's own folders: done by a process that is the user's in every respect. */
#pragma once

/*
 * Forks a child that becomes this user (all user and group ids, supplementary groups; an environment of HOME, USER,
 * LOGNAME and PATH; "/" as its folder) and ends with what `work` returns as its exit status, and waits for it. Nothing below
 * the user's home is touched before. Ends the child after a minute: a user's home can lie on a file system that the user
 * serves. Returns that status, -ETIME for a child that took too long, -EINTR for one that a signal has ended, -EPERM for one that could not become the user, or
 * negative errno.
 */
int as_user(const char *name, int (*work)(void *context), void *context);
