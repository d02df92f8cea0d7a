/* SPDX-License-Identifier: MIT */
/* How much memory a prefetcher may fill with pages that no program has asked for yet. */
#pragma once

#include <stdint.h>

/*
 * Bytes: half of what is available, by MemAvailable and by the limits of each memory cgroup (v2 or v1) of this process;
 * 0 under memory pressure (PSI) of the machine or of such a cgroup. A limit that the kernel does not report counts as none. `root` is put before /proc and
 * /sys, for tests; else "".
 */
uint64_t memory_budget(const char *root);
