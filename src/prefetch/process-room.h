/* SPDX-License-Identifier: MIT */
/* Whether there is room for a prefetcher (format/process-room.h), and for how many threads of it. */
#pragma once

#include <stdint.h>

#include "format/process-room.h"

/*
 * Tasks that may yet be started: by the pids controller of each cgroup (v2 or v1) that this process is in, and by
 * RLIMIT_NPROC, for which all tasks of the machine are counted: there may be more room than this says, but not less.
 * UINT64_MAX without a limit. `root` is
 * put before /proc and /sys, for tests; else "".
 */
uint64_t process_room(const char *root);
