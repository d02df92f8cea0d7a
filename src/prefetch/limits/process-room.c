/* SPDX-License-Identifier: MIT */
/* Documentation/admin-guide/cgroup-v2.rst, "PID"; cgroup-v1/pids.rst; getrlimit(2); proc_loadavg(5). */
#include "prefetch/limits/process-room.h"

#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "prefetch/limits/cgroup.h"

static uint64_t cgroup_room(const char *root, const char *folder, int version)
{
	uint64_t limit, used;

	(void)version;
	if (!kernel_number(root, folder, "pids.max", "", &limit) ||
		!kernel_number(root, folder, "pids.current", "", &used))
		return UINT64_MAX;
	return left_of(limit, used);
}

/* RLIMIT_NPROC does not bind root, but it binds root of a user namespace. Unknown numbers count as no limit. */
static uint64_t user_room(const char *root)
{
	_cleanup_free_ char *load = NULL;
	uint64_t tasks;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NPROC, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	load = kernel_text(root, "", "/proc/loadavg");
	tasks = load ? process_room_tasks(load, strlen(load)) : PROCESS_ROOM_UNKNOWN;
	return tasks == PROCESS_ROOM_UNKNOWN ? UINT64_MAX : left_of(limit.rlim_cur, tasks);
}

uint64_t process_room(const char *root)
{
	uint64_t user = user_room(root), groups = cgroups_least(root, "pids", cgroup_room);

	return user < groups ? user : groups;
}
