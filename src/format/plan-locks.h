/* SPDX-License-Identifier: MIT */
/*
 * Locks on the file of a plan, by which prefetchers find each other, and programs the prefetcher for which they wait.
 * Freestanding: the shim and the prefetcher must agree.
 *
 *     fcntl(2), shared, one byte     the prefetcher: PLAN_LOCK_CARRIER + the millisecond (CLOCK_MONOTONIC) in which it was
 *                                    started. For these locks the kernel names the holder, and their place
 *     fcntl(2), exclusive, one byte  the prefetcher that headstartd has started: PLAN_LOCK_OWNER
 *
 * Everybody who can read a plan can take these locks. So the shim believes the prefetcher's lock only if its holder is
 * the user's own process and executes the prefetcher. An exclusive lock needs a descriptor for writing. So on a plan
 * of root's only root's processes can hold the last one, and whoever meets it may believe it.
 */
#pragma once

#define PLAN_LOCK_OWNER   1 /* offsets of bytes */
#define PLAN_LOCK_CARRIER (1ll << 32)
