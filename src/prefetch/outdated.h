/* SPDX-License-Identifier: MIT */
/* Whose word it is that a planned file has changed. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * Whether a plan of this owner is to be made anew because the file at `path`, which it names, has changed or is gone. Of
 * root's plan only root decides that: nobody else may be able to change where the path leads (base/stranger.h). Of a
 * user's, root and that user: the owner of the file, or of the last folder on the way to it that is still there.
 */
bool outdates_plan(const char *path, uid_t plan_owner);
