/* SPDX-License-Identifier: MIT */
/* ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAG…] - TYPE SOURCE SUPER-OPTIONS */
#include "base/paths/mountinfo.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

void mountinfo_unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && is_octal(from[2]) &&
			is_octal(from[3])) {
			*to++ = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

static int parse_line(char *line, struct mountinfo *ret)
{
	struct mountinfo mount;
	unsigned long long id;
	int numbers = 0;
	char *at, *field;

	if (sscanf(line, "%llu %*u %u:%u %n", &id, &mount.device_major, &mount.device_minor, &numbers) != 3 ||
		!numbers)
		return -EINVAL;
	mount.id = id;
	at = line + numbers;
	mount.root = strsep(&at, " ");
	mount.point = strsep(&at, " ");
	while ((field = strsep(&at, " ")) && !streq(field, "-"))
		;
	mount.type = strsep(&at, " ");
	mount.source = strsep(&at, " ");
	mount.options = strsep(&at, " ");
	if (!mount.options)
		return -EINVAL;
	mountinfo_unescape(mount.root);
	mountinfo_unescape(mount.point);
	mountinfo_unescape(mount.source);
	*ret = mount;
	return 1;
}

int mountinfo_next(char **rest, struct mountinfo *ret)
{
	char *line;

	while ((line = strsep(rest, "\n")))
		if (*line)
			return parse_line(line, ret);
	return 0;
}

bool mountinfo_serves_user(const struct mountinfo *mount, uid_t *ret)
{
	const char *option = after_prefix(mount->type, "fuse") ? mount->options : NULL;
	unsigned user;

	for (; option; option = strchr(option, ',')) {
		option += *option == ',';
		if (sscanf(option, "user_id=%u", &user) == 1) {
			*ret = user;
			return user != 0;
		}
	}
	return false;
}

bool mountinfo_of_user(uint64_t id, uid_t *ret)
{
	_cleanup_free_ char *text = NULL;
	struct mountinfo mount;
	char *rest;
	size_t size;
	int r;

	*ret = (uid_t)-1;
	if (read_pseudo_file("/proc/self/mountinfo", MOUNTINFO_MAX, &text, &size) < 0)
		return true;
	rest = text;
	while ((r = mountinfo_next(&rest, &mount)) != 0)
		if (r > 0 && mount.id == id)
			return mountinfo_serves_user(&mount, ret);
	return true;
}
