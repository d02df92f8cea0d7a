/* SPDX-License-Identifier: MIT */
/* Documentation/admin-guide/cgroup-v2.rst, "PID"; cgroup-v1/pids.rst; getrlimit(2); proc_loadavg(5). */
#include "prefetch/room.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "prefetch/cgroup.h"

static uint64_t left_of(uint64_t limit, uint64_t used)
{
	return used < limit ? limit - used : 0;
}

static uint64_t cgroup_room(const char *root, const char *folder, const void *context)
{
	uint64_t limit, used;

	if (!kernel_number(root, folder, "pids.max", "", &limit) ||
		!kernel_number(root, folder, "pids.current", "", &used))
		return UINT64_MAX;
	return left_of(limit, used);
}

/* Root is not bound by it, but root of a user namespace is. What the kernel does not tell does not limit. */
static uint64_t user_room(const char *root)
{
	_cleanup_free_ char *load = NULL;
	unsigned long long tasks;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NPROC, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	load = kernel_text(root, "", "/proc/loadavg");
	if (!load || sscanf(load, "%*s %*s %*s %*u/%llu", &tasks) != 1)
		return UINT64_MAX;
	return left_of(limit.rlim_cur, tasks);
}

uint64_t process_room(const char *root)
{
	static const struct {
		const char *mount, *controller;
	} hierarchies[] = {{"/sys/fs/cgroup", ""}, {"/sys/fs/cgroup/unified", ""}, {"/sys/fs/cgroup/pids", "pids"}};
	_cleanup_free_ char *cgroups = kernel_text(root, "", "/proc/self/cgroup");
	uint64_t least = user_room(root);

	for (size_t i = 0; cgroups && i < sizeof(hierarchies) / sizeof(hierarchies[0]); i++) {
		uint64_t room = cgroups_least(
			root, hierarchies[i].mount, hierarchies[i].controller, cgroups, cgroup_room, NULL);

		if (room < least)
			least = room;
	}
	return least;
}
