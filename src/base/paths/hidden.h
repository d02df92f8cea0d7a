/* SPDX-License-Identifier: MIT */
/* Which names only root can see, and which files only root can reach. What serves everybody must not tell them, unless root has asked for it. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * Whether other users cannot see that the file exists: they may not list or not search one of the folders on the path,
 * which is absolute and canonical but for its last component. True also for a folder that cannot be examined.
 */
bool hidden_from_others(const char *path);

/* The same for this user, who may do more with folders of their own. What groups may do does not count. */
bool hidden_from(const char *path, uid_t user);

struct statx;

/* Whether this user may not list or not search such a folder, going by its mode and owner. */
bool folder_hides(const struct statx *st, uid_t user);

/*
 * Whether root alone can reach the file: one of the folders is root's, and neither others nor a group but root's may search it. False for a path as
 * above of which that cannot be found out.
 */
bool closed_to_others(const char *path);

/*
 * Whether what is learnt of a start of the program may name the file. Nobody but root learns of a program that only root can reach, so that may
 * name all.
 */
bool may_show_of(const char *program, const char *path);
