/* SPDX-License-Identifier: MIT */
/* How many more processes and threads there may be: the program's own fork must not fail for our sake. */
#pragma once

#include <stdint.h>

/* With less room than that a prefetcher stays away. */
#define PROCESS_ROOM_MIN 32

/*
 * Tasks that may yet be started: by the pids controller of each cgroup (v2 or v1) that this process is in, and by
 * RLIMIT_NPROC. How many the user has the kernel does not tell cheaply; all tasks of the machine
 * (/proc/loadavg) are counted, so there may be more room than this says, but not less. UINT64_MAX without a limit. `root` is
 * put before /proc and /sys, for tests; else "".
 */
uint64_t process_room(const char *root);
