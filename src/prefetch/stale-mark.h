/* SPDX-License-Identifier: MIT */
/* Marks a stale plan, one that names changed files, by PLAN.stale beside it (plan/store/store.h). */
#pragma once

#include <stdbool.h>

/*
 * Makes PLAN.stale beside the plan. It stays until a new plan is published there. Returns whether this user may make
 * it; a user who may not cannot replace the plan either.
 */
bool plan_mark_stale(const char *plan_path);

/* The same for an open plan. Also returns false if the plan's name is gone or belongs to another file by now. */
bool plan_mark_stale_open(int plan_fd);
