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

bool mountinfo_is_automount(const struct mountinfo *mount)
{
	return streq(mount->type, "autofs");
}

/* Finds the mount of that number in our own namespace. The caller frees *ret_text, in which the strings lie. */
static bool find(uint64_t id, char **ret_text, struct mountinfo *ret)
{
	char *rest;
	size_t size;
	int r;

	if (read_pseudo_file("/proc/self/mountinfo", MOUNTINFO_MAX, ret_text, &size) < 0)
		return false;
	rest = *ret_text;
	while ((r = mountinfo_next(&rest, ret)) != 0)
		if (r > 0 && ret->id == id)
			return true;
	return false;
}

bool mountinfo_of_user(uint64_t id, uid_t *ret, bool *ret_automount)
{
	_cleanup_free_ char *text = NULL;
	struct mountinfo mount;

	*ret = (uid_t)-1;
	*ret_automount = false;
	if (!find(id, &text, &mount))
		return true;
	*ret_automount = mountinfo_is_automount(&mount);
	return mountinfo_serves_user(&mount, ret);
}

int mountinfo_points_of(char *text, bool (*is_wanted)(const struct mountinfo *), char **ret)
{
	char *points = malloc(strlen(text) + 1), *end = points; /* each is shorter than its line */
	struct mountinfo mount;
	int r;

	if (!points)
		return -ENOMEM;
	while ((r = mountinfo_next(&text, &mount)) != 0)
		if (r > 0 && is_wanted(&mount))
			end = stpcpy(end, mount.point) + 1;
	*end = '\0';
	*ret = points;
	return 0;
}

int mountinfo_points(bool (*is_wanted)(const struct mountinfo *), char **ret)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	int r = read_pseudo_file("/proc/self/mountinfo", MOUNTINFO_MAX, &text, &size);

	return r < 0 ? r : mountinfo_points_of(text, is_wanted, ret);
}

bool mountinfo_is_below(const char *points, const char *path)
{
	for (; *points; points += strlen(points) + 1) {
		const char *rest = after_prefix(path, points);

		if (rest && (*rest == '\0' || *rest == '/'))
			return true;
	}
	return false;
}

bool mountinfo_on_disk(uint64_t id)
{
	_cleanup_free_ char *text = NULL;
	struct mountinfo mount;

	if (!find(id, &text, &mount) || after_prefix(mount.type, "fuse"))
		return false;
	return mount.device_major != 0 ||
		streq(mount.type, "btrfs"); /* each of its subvolumes has a number of its own */
}
