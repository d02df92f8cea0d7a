/* SPDX-License-Identifier: MIT */
/* Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/cgroups.rst. */
#include "prefetch/cgroup.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/strings.h"

#define TEXT_MAX (64u << 10)

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

bool kernel_number(const char *root, const char *folder, const char *name, const char *key, uint64_t *ret)
{
	_cleanup_free_ char *text = kernel_text(root, folder, name);

	return text && find_number(text, key, ret);
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

uint64_t cgroups_least(const char *root, const char *mount, const char *controller, const char *cgroups,
	uint64_t (*room)(const char *root, const char *folder, const void *context), const void *context)
{
	uint64_t least = UINT64_MAX;
	char path[PATH_MAX / 2], folder[PATH_MAX];

	if (!cgroup_path(cgroups, controller, path, sizeof(path)))
		return least;
	for (;;) {
		uint64_t here;
		char *slash;

		snprintf(folder, sizeof(folder), "%s%s", mount, path);
		here = room(root, folder, context);
		if (here < least)
			least = here;
		slash = strrchr(path, '/');
		if (!slash)
			return least;
		*slash = '\0';
	}
}
