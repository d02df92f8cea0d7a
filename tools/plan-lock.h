/* SPDX-License-Identifier: MIT */
/*
 * How whole mode learns that a plan is being carried out: the plan may cover a whole tree of processes, and a
 * program of that tree without a plan of its own would else have its files read whole, at the same time.
 *
 * The lock is a shared one on the prefetcher's own executable, which every prefetcher can open.
 */
#pragma once

#include <stdbool.h>

/* From here to the end of the process. Best effort. */
void plan_lock_hold(void);

/* Whether any process holds it. */
bool plan_lock_held(void);

/*
 * Claims one plan for this process, until the end. Returns false if another prefetcher is carrying it out: a
 * program that starts itself again, as browsers do, finds its plan cold while the first prefetcher is still
 * at it.
 */
bool plan_claim(int plan_fd);

/* Takes the claim back, if there is one (-1: none). Who has started the prefetcher may keep the file open: a program that
 * is stopped while it waits, a process that was forked meanwhile. */
void plan_releasep(const int *plan_fd);

/*
 * Returns when a program waits for this plan to be carried out (format/plan-locks.h), or after that many milliseconds; at
 * once where the kernel is too old for that. Whether one waits.
 */
bool plan_await_program(int plan_fd, unsigned int limit_ms);
