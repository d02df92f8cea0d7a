/* SPDX-License-Identifier: MIT */
/* The process that carries a plan out, as the lock on the plan names it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The process that has marked the plan within the last `within_ms`, and when; 0 if the kernel shows none. Anybody who
 * can read the plan may have marked it: ask the two functions below. */
int carrier_of(int plan_fd, unsigned int within_ms, int64_t *ret_ms);

/*
 * Whether the prefetcher that headstartd has started carries the plan out; then *ret_process is its id, or 0 if it lies
 * in another pid namespace. Only root's processes can have marked a plan of root's so.
 */
bool carrier_of_daemon(int plan_fd, int *ret_process);

/* Whether the real, effective, saved and file-system user of the process is the user of ours. */
bool carrier_is_ours(int process);

/* Whether the process executes the prefetcher that this program would start, or the launcher, which carries out plans
 * itself. */
bool carrier_is_prefetcher(int process);
