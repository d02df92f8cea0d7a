/* SPDX-License-Identifier: MIT */
/* How much memory may be filled with pages nobody has asked for yet. */
#pragma once

#include <stdint.h>

/*
 * Bytes: half of what is available, by MemAvailable and by the limit of each memory cgroup (v2 or v1) this
 * process is in; nothing under memory pressure (PSI). What the kernel does not tell does not limit. `root` is
 * put before /proc and /sys, for tests; else "".
 */
uint64_t memory_budget(const char *root);
