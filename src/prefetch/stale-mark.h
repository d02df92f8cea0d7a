/* SPDX-License-Identifier: MIT */
/* A plan that names files which are no longer what was recorded is marked: by PLAN.stale beside it (plan/store.h). */
#pragma once

#include <stdbool.h>

/*
 * Makes PLAN.stale beside the plan, until a plan is published there anew. Returns whether this user may: who
 * may not cannot replace the plan either.
 */
bool plan_mark_stale(const char *plan_path);

/* The same for an open plan. False as well if another file has its name by now, or none. */
bool plan_mark_stale_open(int plan_fd);
