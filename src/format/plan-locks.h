/* SPDX-License-Identifier: MIT */
/*
 * Locks on the file of a plan, by which the processes that have to do with it find each other. Freestanding: the shim and
 * the prefetcher must agree.
 *
 *     flock(2), exclusive            whoever carries the plan out: one at a time
 *     fcntl(2), shared, first byte   the prefetcher: for these locks the kernel names the holder
 *     fcntl(2), shared, second byte  a program that waits for it
 */
#pragma once

#define PLAN_LOCK_CARRIER 0 /* offsets of bytes */
#define PLAN_LOCK_WAITER  1
