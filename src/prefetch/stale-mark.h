/* SPDX-License-Identifier: MIT */
/* Marks a stale plan, one that names changed files, by PLAN.stale beside it (plan/store/store.h). */
#pragma once

#include <limits.h>
#include <stdbool.h>

/*
 * Makes PLAN.stale beside the plan. It stays until a new plan is published there. Returns whether this user may make
 * it; a user who may not cannot replace the plan either.
 */
bool plan_mark_stale(const char *plan_path);

/*
 * The same for an open plan. Also returns false if the plan's name is gone or belongs to another file by now. Otherwise
 * `path` is that name.
 */
bool plan_mark_stale_open(int plan_fd, char path[PATH_MAX]);

/*
 * Locks the mark beside a plan, for the process that makes a new plan; others than its owner cannot. Returns a
 * descriptor that holds the lock until it is closed everywhere; -ENOENT if the plan is marked no more; -EWOULDBLOCK if
 * somebody has the lock; or negative errno.
 */
int plan_mark_lock(const char *plan_path);
