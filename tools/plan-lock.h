/* SPDX-License-Identifier: MIT */
/*
 * How whole mode learns that a plan is being carried out: the plan may cover a whole tree of processes, and a program
 * of that tree without a plan of its own would else have its files read whole, at the same time.
 *
 * The lock is a shared one on the prefetcher's own executable, which every prefetcher can open.
 */
#pragma once

#include <stdbool.h>

/* From here to the end of the process. Best effort. */
void plan_lock_hold(void);

/* Whether any process holds it. */
bool plan_lock_held(void);
