/* SPDX-License-Identifier: MIT */
/* Decides whether a plan must be compiled anew: its files have changed, or an older headstart has made it. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "format/plan-view.h"

/*
 * Whether the plan of this owner must be compiled anew because the file at `path`, which it names, has changed or is
 * gone. For root's plan this is true only if nobody but root can change where the path leads (base/paths/stranger.h). For a
 * user's plan, the owner of the file, or of the last folder on the way to it that still exists, must be root or that
 * user.
 */
bool outdates_plan(const char *path, uid_t plan_owner);

/*
 * Whether a file of the plan has changed or is gone, so that the plan of this owner must be compiled anew. Files that
 * this process may not look at count as unchanged.
 */
bool plan_is_outdated(const struct plan_view *plan, uid_t plan_owner);

/* Whether an older headstart has made the plan at `path`, so that nobody can use it. Reads only its beginning; a link is no plan. */
bool plan_is_older(const char *path);
