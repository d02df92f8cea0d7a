/* SPDX-License-Identifier: MIT */
/* The memory budget, from MemAvailable, cgroups and PSI (Documentation/accounting/psi.rst). */
#include "prefetch/budget.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/strings.h"

#define TEXT_MAX (64u << 10)

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

/* A small file of the kernel's, or NULL. The caller frees it. */
static char *read_text(const char *root, const char *folder, const char *name)
{
	char path[PATH_MAX];
	char *text;
	size_t size;

	if (snprintf(path, sizeof(path), "%s%s%s%s", root, folder, *folder ? "/" : "", name) >=
		(int)sizeof(path))
		return NULL;
	return read_pseudo_file(path, TEXT_MAX, &text, &size) < 0 ? NULL : text;
}

/* The number after `key` at the start of a line. Returns whether there is one ("max" is none). */
static bool find_number(const char *text, const char *key, uint64_t *ret)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *value;
		char *end;
		uint64_t number;

		line += *line == '\n';
		value = after_prefix(line, key);
		if (!value)
			continue;
		number = strtoull(value, &end, 10);
		if (end == value)
			return false;
		*ret = number;
		return true;
	}
	return false;
}

static bool read_number(
	const char *root, const char *folder, const char *name, const char *key, uint64_t *ret)
{
	_cleanup_free_ char *text = read_text(root, folder, name);

	return text && find_number(text, key, ret);
}

/* Bytes that one cgroup still has free, idle page cache included; UINT64_MAX without a limit. */
static uint64_t cgroup_free(const char *root, const struct memory_cgroup *kind, const char *folder)
{
	uint64_t limit, usage, reclaimable = 0;

	if (!read_number(root, folder, kind->limit, "", &limit) ||
		!read_number(root, folder, kind->usage, "", &usage))
		return UINT64_MAX;
	if (limit >= INT64_MAX / 2) /* what version 1 calls no limit */
		return UINT64_MAX;
	read_number(root, folder, "memory.stat", kind->reclaimable, &reclaimable);
	usage -= reclaimable < usage ? reclaimable : usage;
	return usage < limit ? limit - usage : 0;
}

/* The path of this process in a hierarchy, from a line "4:memory:/path" of /proc/self/cgroup. */
static bool cgroup_path(const char *cgroups, const char *controller, char *ret, size_t size)
{
	for (const char *line = cgroups; line && *line; line = strchr(line, '\n')) {
		const char *names, *path;
		size_t n = strlen(controller);

		line += *line == '\n';
		names = strchr(line, ':');
		path = names ? strchr(names + 1, ':') : NULL;
		if (!path || (size_t)(path - names - 1) != n || strncmp(names + 1, controller, n) != 0)
			continue;
		n = strcspn(path + 1, "\n");
		if (n >= size)
			return false;
		memcpy(ret, path + 1, n);
		ret[n] = '\0';
		return true;
	}
	return false;
}

/* The least free memory of the cgroup of this process and those above it. */
static uint64_t cgroups_free(const char *root, const struct memory_cgroup *kind, const char *cgroups)
{
	uint64_t least = UINT64_MAX;
	char path[PATH_MAX / 2], folder[PATH_MAX];

	if (!cgroup_path(cgroups, kind->controller, path, sizeof(path)))
		return least;
	for (;;) {
		uint64_t free_bytes;
		char *slash;

		snprintf(folder, sizeof(folder), "%s%s", kind->mount, path);
		free_bytes = cgroup_free(root, kind, folder);
		if (free_bytes < least)
			least = free_bytes;
		slash = strrchr(path, '/');
		if (!slash)
			return least;
		*slash = '\0';
	}
}

uint64_t memory_budget(const char *root)
{
	_cleanup_free_ char *cgroups = read_text(root, "", "/proc/self/cgroup");
	uint64_t available, pressure, least = UINT64_MAX;

	if (read_number(root, "", "/proc/pressure/memory", "some avg10=", &pressure) &&
		pressure >= PRESSURE_HIGH)
		return 0;
	if (read_number(root, "", "/proc/meminfo", "MemAvailable:", &available))
		least = available * 1024;
	for (size_t i = 0; cgroups && i < sizeof(hierarchies) / sizeof(hierarchies[0]); i++) {
		uint64_t free_bytes = cgroups_free(root, &hierarchies[i], cgroups);

		if (free_bytes < least)
			least = free_bytes;
	}
	return least / 2;
}
