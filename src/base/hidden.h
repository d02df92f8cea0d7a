/* SPDX-License-Identifier: MIT */
/* Which names only root can see, and which files only root can reach. What serves everybody must not tell them, unless root has asked for it. */
#pragma once

#include <stdbool.h>

/*
 * Whether other users cannot see that the file exists: they may not list or not search one of the folders on the path,
 * which is absolute and canonical but for its last component. True also for a folder that cannot be examined.
 */
bool hidden_from_others(const char *path);

/*
 * Whether other users cannot reach the file, not even by a name that they know: they may not search one of the folders. True also as above.
 */
bool closed_to_others(const char *path);

/* Whether what everybody can learn of a start of the program may name the file. Of a program that only root can reach that is nobody else. */
bool may_show_of(const char *program, const char *path);
