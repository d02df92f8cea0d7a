/* SPDX-License-Identifier: MIT */
/* The memory budget, from MemAvailable, cgroups and PSI (Documentation/accounting/psi.rst). */
#include "prefetch/budget.h"

#include "prefetch/cgroup.h"

/* Percent of the last ten seconds in which some task waited for memory: beyond it nothing is prefetched. */
#define PRESSURE_HIGH 10

/* Bytes that one cgroup still has free, page cache that is given up first included; UINT64_MAX without a
 * limit. */
static uint64_t cgroup_free(const char *root, const char *folder, int version)
{
	uint64_t limit, usage, reclaimable = 0;

	if (!kernel_number(root, folder, version == 1 ? "memory.limit_in_bytes" : "memory.max", "", &limit) ||
		!kernel_number(
			root, folder, version == 1 ? "memory.usage_in_bytes" : "memory.current", "", &usage))
		return UINT64_MAX;
	if (limit >= INT64_MAX / 2) /* what version 1 calls no limit */
		return UINT64_MAX;
	kernel_number(root, folder, "memory.stat", version == 1 ? "total_inactive_file " : "inactive_file ",
		&reclaimable);
	return left_of(limit, left_of(usage, reclaimable));
}

uint64_t memory_budget(const char *root)
{
	uint64_t available, pressure, least;

	if (kernel_number(root, "", "/proc/pressure/memory", "some avg10=", &pressure) &&
		pressure >= PRESSURE_HIGH)
		return 0;
	least = cgroups_least(root, "memory", cgroup_free);
	if (kernel_number(root, "", "/proc/meminfo", "MemAvailable:", &available) && available * 1024 < least)
		least = available * 1024;
	return least / 2;
}
