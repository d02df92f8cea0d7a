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

/*
 * The least that `room` finds in the cgroup of this process, or in one above it, of one hierarchy. `controller` is its field in
 * /proc/self/cgroup ("" of version 2), of which `cgroups` is the text. UINT64_MAX where this process is in none.
 */
uint64_t cgroups_least(const char *root, const char *mount, const char *controller, const char *cgroups,
	uint64_t (*room)(const char *root, const char *folder, const void *context), const void *context);
