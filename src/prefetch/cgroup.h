/* SPDX-License-Identifier: MIT */
/*
 * What the control groups of this process, and the kernel, say in numbers. `root` is put before /proc and /sys, for tests;
 * else "".
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A small file of the kernel's, or NULL. The caller frees it. */
char *kernel_text(const char *root, const char *folder, const char *name);

/* The number after `key` at the start of a line of such a file. Returns whether there is one ("max" is none). */
bool kernel_number(const char *root, const char *folder, const char *name, const char *key, uint64_t *ret);

/* A number of one cgroup, at `folder` below the root; `version` of cgroups, 1 or 2, decides what its files
 * are called. */
typedef uint64_t cgroup_number(const char *root, const char *folder, int version);

/*
 * The least of the cgroups that this process is in, by either version, and of those above them. `controller`
 * is the one of version 1: "memory". UINT64_MAX where this process is in none.
 */
uint64_t cgroups_least(const char *root, const char *controller, cgroup_number *number);

/* What a limit leaves. */
static inline uint64_t left_of(uint64_t limit, uint64_t used)
{
	return used < limit ? limit - used : 0;
}
