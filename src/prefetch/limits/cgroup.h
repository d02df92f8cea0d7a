/* SPDX-License-Identifier: MIT */
/*
 * Numbers from the control groups of this process, and from small files of the kernel. `root` is put before /proc and
 * /sys, for tests; else "".
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The content of a file of /proc or /sys, or NULL. The caller frees it. */
char *kernel_text(const char *root, const char *folder, const char *name);

/* The number after `key` at the start of a line of such a file. Returns whether there is one ("max" is no number). */
bool kernel_number(const char *root, const char *folder, const char *name, const char *key, uint64_t *ret);

/*
 * A number of one cgroup, at `folder` below the root. The names of its files depend on the `version` of cgroups, 1 or
 * 2.
 */
typedef uint64_t cgroup_number(const char *root, const char *folder, int version);

/*
 * The least number of the cgroups of this process, in both versions, and of the cgroups above them. `controller` is a
 * controller of version 1: "memory". UINT64_MAX if this process is in no cgroup.
 */
uint64_t cgroups_least(const char *root, const char *controller, cgroup_number *number);

/* What is left of a limit. */
static inline uint64_t left_of(uint64_t limit, uint64_t used)
{
	return used < limit ? limit - used : 0;
}
