/* SPDX-License-Identifier: MIT */
/* Waiting for a prefetcher. */
#pragma once

#include <stdint.h>

/*
 * Returns when that process has ended, or after `limit_ms`; at once if it is no prefetcher of this user, which its id
 * alone does not show: the prefetcher that had the id may have ended. A signal that the program handles ends the wait
 * early.
 */
void wait_for_prefetcher(int process, int64_t limit_ms);

/* The same for the prefetcher that carrier_of_daemon() names. */
void wait_for_daemon(int plan_fd, int process, int64_t limit_ms);
