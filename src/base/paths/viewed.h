/* SPDX-License-Identifier: MIT */
/* What a path of a user's leads to if root looks for it: no more than what the user would find. */
#pragma once

#include <sys/types.h>

/*
 * Opens the file by O_PATH. `folder` is where a relative path begins, or AT_FDCWD; `root`, where an absolute one does, and which ".." does not
 * leave, or -1: ours. `flags` may have O_DIRECTORY. Every folder that the path passes, by links too, must be one that the user could list and
 * search (base/paths/hidden.h). Nothing in /proc is found: its links do not lead where their text says, and which processes there are may be
 * hidden. Returns a descriptor, the caller's to close, or negative errno.
 */
int open_viewed(int root, int folder, const char *path, int flags, uid_t user);
