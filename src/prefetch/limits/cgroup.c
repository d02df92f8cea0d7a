/* SPDX-License-Identifier: MIT */
/* Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/cgroups.rst. */
#include "prefetch/limits/cgroup.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"
#include "format/cgroup-line.h"

#define TEXT_MAX (16u << 20) /* bytes: /proc/diskstats has a line of about a hundred for each block device */

char *kernel_text(const char *root, const char *folder, const char *name)
{
	char path[PATH_MAX];
	char *text;
	size_t size;

	if (snprintf(path, sizeof(path), "%s%s%s%s", root, folder, *folder ? "/" : "", name) >=
		(int)sizeof(path))
		return NULL;
	return read_pseudo_file(path, TEXT_MAX, &text, &size) < 0 ? NULL : text;
}

bool kernel_number(const char *root, const char *folder, const char *name, const char *key, uint64_t *ret)
{
	_cleanup_free_ char *text = kernel_text(root, folder, name);

	return text && number_of_line(text, key, ret);
}

/* The path of this process in the hierarchy of a controller ("": in that of version 2), from /proc/self/cgroup. */
static bool cgroup_path(const char *cgroups, const char *controller, char *ret, size_t size)
{
	for (const char *at = cgroups; at; at = strchr(at, '\n')) {
		struct cgroup_line line;
		size_t n;

		at += *at == '\n';
		if (!cgroup_line_split(at, &line) || !cgroup_line_has(&line, controller))
			continue;
		n = strcspn(line.path, "\n");
		if (n >= size)
			return false;
		memcpy(ret, line.path, n);
		ret[n] = '\0';
		return true;
	}
	return false;
}

/* The least from the cgroup at `folder` up to where the hierarchy is mounted. Shortens `folder`. */
static uint64_t least_upwards(
	const char *root, char *folder, size_t mount_length, int version, cgroup_number *number)
{
	uint64_t least = UINT64_MAX;

	for (;;) {
		uint64_t here = number(root, folder, version);
		char *slash = strrchr(folder + mount_length, '/');

		if (here < least)
			least = here;
		if (!slash)
			return least;
		*slash = '\0';
	}
}

uint64_t cgroups_least(const char *root, const char *controller, cgroup_number *number)
{
	const struct {
		const char *mount, *below, *controller;
	} hierarchies[] = {
		{"/sys/fs/cgroup", "", ""},
		{"/sys/fs/cgroup/unified", "", ""},
		{"/sys/fs/cgroup/", controller, controller},
	};
	_cleanup_free_ char *cgroups = kernel_text(root, "", "/proc/self/cgroup");
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; cgroups && i < sizeof(hierarchies) / sizeof(hierarchies[0]); i++) {
		char path[PATH_MAX / 2], folder[PATH_MAX];
		uint64_t here;
		int mount_length;

		if (!cgroup_path(cgroups, hierarchies[i].controller, path, sizeof(path)))
			continue;
		mount_length =
			snprintf(folder, sizeof(folder), "%s%s", hierarchies[i].mount, hierarchies[i].below);
		strcpy(folder + mount_length, path);
		here = least_upwards(
			root, folder, (size_t)mount_length, *hierarchies[i].controller ? 1 : 2, number);
		if (here < least)
			least = here;
	}
	return least;
}
