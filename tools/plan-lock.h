/* SPDX-License-Identifier: MIT */
/*
 * How whole mode learns that a plan is being carried out: the plan may cover a whole tree of processes, and a
 * program of that tree without a plan of its own would else have its files read whole, at the same time.
 *
 * The lock is a shared one on the prefetcher's own executable, which every prefetcher can open. Everybody else can as well:
 * locks count only of prefetchers of this user's (format/plan-locks.h).
 */
#pragma once

#include <stdbool.h>

/* From here to the end of the process. Best effort. */
void plan_lock_hold(void);

/* Whether any prefetcher of this user's holds it. */
bool plan_lock_held(void);

/*
 * Whether this process is to carry out the plan: not if another prefetcher of this user's was at it before (a program that
 * starts itself again, as browsers do, finds its plan cold while the first prefetcher is still at it). From here to the
 * end of the process, or until it closes any descriptor of that file, others see that this one does.
 */
bool plan_claim(int plan_fd);

/*
 * Returns when a program waits for this plan to be carried out (format/plan-locks.h), or after that many milliseconds; at
 * once where the kernel is too old for that. Whether one waits.
 */
bool plan_await_program(int plan_fd, unsigned int limit_ms);
