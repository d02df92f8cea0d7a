/* SPDX-License-Identifier: MIT */
/* Which names only root can see. What serves everybody must not tell them, unless root has asked for it. */
#pragma once

#include <stdbool.h>

/*
 * Whether other users cannot see that the file exists: they may not list or not search one of the folders on the path,
 * which is absolute and canonical but for its last component. True also for a folder that cannot be examined.
 */
bool hidden_from_others(const char *path);
