/* SPDX-License-Identifier: MIT */
/*
 * Shows other prefetchers that a plan is being carried out. The plan may cover a whole tree of processes. Without this,
 * whole mode would at the same time read all files of a program in that tree that has no plan of its own.
 *
 * The lock is a shared one on the prefetcher's own executable, which every prefetcher can open. Everybody else can open
 * it as well, so only locks of prefetchers of this user count (format/plan-locks.h).
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Holds the lock until the process ends. Ignores errors. */
void plan_lock_hold(void);

/* Whether any prefetcher of this user holds it. */
bool plan_lock_held(void);

/*
 * Whether this process should carry out the plan: not if another prefetcher of this user has begun before. (A program
 * that starts itself again, as browsers do, finds its plan cold while the first prefetcher is still working.) Others
 * see this process's claim until it ends, or until it closes any descriptor of that file.
 */
bool plan_claim(int plan_fd);

/*
 * The same for headstartd's prefetcher, on a plan that is open for writing: takes the exclusive lock for which all
 * others leave the plan to it (format/plan-locks.h). Returns false if a prefetcher of root's or of `user` is at work on the
 * plan. The lock stays if this process executes the prefetcher. A stranger's lock keeps us only from having it.
 */
bool plan_own(int plan_fd, uid_t user);
