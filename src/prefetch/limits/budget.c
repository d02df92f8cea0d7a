/* SPDX-License-Identifier: MIT */
/* The memory budget, from MemAvailable, cgroups and PSI (Documentation/accounting/psi.rst). */
#include "prefetch/limits/budget.h"

#include <stddef.h>

#include "prefetch/limits/cgroup.h"

/* In percent of the last ten seconds: if some task waited for memory longer than this, nothing is prefetched. */
#define PRESSURE_HIGH 10

static bool under_pressure(const char *root, const char *folder, const char *name)
{
	uint64_t pressure;

	return kernel_number(root, folder, name, "some avg10=", &pressure) && pressure >= PRESSURE_HIGH;
}

/* UINT64_MAX without a limit. Beyond memory.high nothing is killed, but every task of the group is held up. */
static uint64_t cgroup_limit(const char *root, const char *folder, int version)
{
	const char *names[] = {version == 1 ? "memory.limit_in_bytes" : "memory.max", "memory.high"};
	uint64_t least = UINT64_MAX, limit;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (kernel_number(root, folder, names[i], "", &limit) && limit < least)
			least = limit;
	return least;
}

/*
 * Bytes that one cgroup still has free, including page cache that the kernel gives up first. UINT64_MAX without a
 * limit, 0 under pressure.
 */
static uint64_t cgroup_free(const char *root, const char *folder, int version)
{
	uint64_t limit = cgroup_limit(root, folder, version), usage, reclaimable = 0;

	if (version == 2 && under_pressure(root, folder, "memory.pressure"))
		return 0;
	if (!kernel_number(
		    root, folder, version == 1 ? "memory.usage_in_bytes" : "memory.current", "", &usage))
		return UINT64_MAX;
	if (limit >= INT64_MAX / 2) /* version 1's number for "no limit" */
		return UINT64_MAX;
	kernel_number(root, folder, "memory.stat", version == 1 ? "total_inactive_file " : "inactive_file ",
		&reclaimable);
	return left_of(limit, left_of(usage, reclaimable));
}

uint64_t memory_budget(const char *root)
{
	uint64_t available, least;

	if (under_pressure(root, "", "/proc/pressure/memory"))
		return 0;
	least = cgroups_least(root, "memory", cgroup_free);
	if (kernel_number(root, "", "/proc/meminfo", "MemAvailable:", &available) && available * 1024 < least)
		least = available * 1024;
	return least / 2;
}
