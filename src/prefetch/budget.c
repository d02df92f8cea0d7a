/* SPDX-License-Identifier: MIT */
/* The memory budget, from MemAvailable, cgroups and PSI (Documentation/accounting/psi.rst). */
#include "prefetch/budget.h"

#include <stddef.h>

#include "base/cleanup.h"
#include "prefetch/cgroup.h"

/* Percent of the last ten seconds in which some task waited for memory: beyond it nothing is prefetched. */
#define PRESSURE_HIGH 10

/* Where a memory cgroup says its numbers. */
struct memory_cgroup {
	const char *mount;
	const char *controller; /* its field in /proc/self/cgroup */
	const char *limit, *usage;
	const char *reclaimable; /* the line of memory.stat with the page cache that is given up first */
};

static const struct memory_cgroup hierarchies[] = {
	{"/sys/fs/cgroup", "", "memory.max", "memory.current", "inactive_file "},
	{"/sys/fs/cgroup/unified", "", "memory.max", "memory.current", "inactive_file "},
	{"/sys/fs/cgroup/memory", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
		"total_inactive_file "},
};

/* Bytes that one cgroup still has free, idle page cache included; UINT64_MAX without a limit. */
static uint64_t cgroup_free(const char *root, const char *folder, const void *context)
{
	const struct memory_cgroup *kind = context;
	uint64_t limit, usage, reclaimable = 0;

	if (!kernel_number(root, folder, kind->limit, "", &limit) ||
		!kernel_number(root, folder, kind->usage, "", &usage))
		return UINT64_MAX;
	if (limit >= INT64_MAX / 2) /* what version 1 calls no limit */
		return UINT64_MAX;
	kernel_number(root, folder, "memory.stat", kind->reclaimable, &reclaimable);
	usage -= reclaimable < usage ? reclaimable : usage;
	return usage < limit ? limit - usage : 0;
}

uint64_t memory_budget(const char *root)
{
	_cleanup_free_ char *cgroups = kernel_text(root, "", "/proc/self/cgroup");
	uint64_t available, pressure, least = UINT64_MAX;

	if (kernel_number(root, "", "/proc/pressure/memory", "some avg10=", &pressure) &&
		pressure >= PRESSURE_HIGH)
		return 0;
	if (kernel_number(root, "", "/proc/meminfo", "MemAvailable:", &available))
		least = available * 1024;
	for (size_t i = 0; cgroups && i < sizeof(hierarchies) / sizeof(hierarchies[0]); i++) {
		uint64_t free_bytes = cgroups_least(
			root, hierarchies[i].mount, hierarchies[i].controller, cgroups, cgroup_free, &hierarchies[i]);

		if (free_bytes < least)
			least = free_bytes;
	}
	return least / 2;
}
