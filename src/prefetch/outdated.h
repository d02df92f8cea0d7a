/* SPDX-License-Identifier: MIT */
/* Decides whether a planned file that has changed makes its plan outdated. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * Whether the plan of this owner must be compiled anew because the file at `path`, which it names, has changed or is
 * gone. For root's plan this is true only if nobody but root can change where the path leads (base/stranger.h). For a
 * user's plan, the owner of the file, or of the last folder on the way to it that still exists, must be root or that
 * user.
 */
bool outdates_plan(const char *path, uid_t plan_owner);
