/* SPDX-License-Identifier: MIT */
/* Settings that override the class of devices and folders. */
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files/links.h"
#include "base/strings.h"
#include "device/device.h"

static bool names_device(const struct device_rule *rule, int fd, const struct device *device)
{
	const char *name = after_prefix(rule->path, "/dev/");
	struct stat file, node;

	if (!name)
		return false;
	if (streq(name, device->name))
		return true;
	return stat(rule->path, &node) == 0 && S_ISBLK(node.st_mode) && fstat(fd, &file) == 0 &&
		node.st_rdev == file.st_dev;
}

static bool holds(const struct device_rule *rule, const char *path)
{
	const char *rest = after_prefix(path, rule->path);

	return rest && (*rest == '/' || *rest == '\0' || streq(rule->path, "/"));
}

int device_of_by_rules(int fd, const struct device_rule *rules, size_t n_rules, struct device *ret)
{
	char path[PATH_MAX] = "";
	size_t longest = 0;
	int r = device_of(fd, ret);

	if (r < 0 || n_rules == 0)
		return r;
	(void)path_of_fd(fd, path);
	for (size_t i = 0; i < n_rules; i++) {
		size_t length = strlen(rules[i].path);

		if (holds(&rules[i], path) && length > longest)
			longest = length;
		else if (longest > 0 || !names_device(&rules[i], fd, ret))
			continue;
		ret->class = rules[i].class;
		ret->by_rule = true;
	}
	return 0;
}
