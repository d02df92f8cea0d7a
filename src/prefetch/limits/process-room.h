/* SPDX-License-Identifier: MIT */
/* Whether there is room for a prefetcher (format/process-room.h), and for how many threads of it. */
#pragma once

#include <stdint.h>

#include "format/process-room.h"

/*
 * Number of tasks that may still be started, by the pids controller of each cgroup (v2 or v1) of this process, and by
 * RLIMIT_NPROC. For the latter all tasks of the machine are counted, so there may be more room than this says, but not
 * less. UINT64_MAX without a limit. `root` is put before /proc and /sys, for tests; else "".
 */
uint64_t process_room(const char *root);
