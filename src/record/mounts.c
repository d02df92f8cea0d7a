/* SPDX-License-Identifier: MIT */
/* /proc/self/mountinfo. */
#include "mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/strings.h"

#define MOUNTINFO_LIMIT (16u << 20) /* bytes */

bool mounts_is_disk_type(const char *type)
{
	static const char *const without_disk[] = {
		"autofs", "bdev", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts",
		"devtmpfs", "efivarfs", "fusectl", "hugetlbfs", "mqueue", "nfsd", "nsfs", "pidfs", "pipefs", "proc",
		"pstore", "ramfs", "resctrl", "rootfs", "rpc_pipefs", "securityfs", "selinuxfs", "smackfs", "sockfs",
		"sysfs", "tmpfs", "tracefs",
	};

	for (size_t i = 0; i < sizeof(without_disk) / sizeof(*without_disk); i++)
		if (streq(type, without_disk[i]))
			return false;
	return true;
}

/* Space, tab, newline and backslash are written as \ooo. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' && from[2] <= '7' &&
		    from[3] >= '0' && from[3] <= '7') {
			*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = 0;
}

static int add_mount(struct mounts *mounts, uint64_t id, uint32_t device, const char *point, const char *type)
{
	struct mount mount = {.id = id, .device = device};
	int err = ARRAY_RESERVE(mounts->items, mounts->capacity, mounts->count + 1);

	if (err)
		return err;
	mount.point = strdup(point);
	mount.type = strdup(type);
	if (!mount.point || !mount.type) {
		free(mount.point);
		free(mount.type);
		return -ENOMEM;
	}
	mounts->items[mounts->count++] = mount;
	return 0;
}

/* 36 35 98:0 /root /point options [optional …] - type source options */
static int parse_line(struct mounts *mounts, char *line)
{
	char *type = strstr(line, " - ");
	unsigned long long id;
	unsigned device_major, device_minor;
	int after_device = 0;
	char *point, *end;

	if (!type || sscanf(line, "%llu %*u %u:%u %n", &id, &device_major, &device_minor, &after_device) != 3 ||
	    !after_device)
		return -EINVAL;
	type += 3;
	type[strcspn(type, " ")] = 0;
	if (!mounts_is_disk_type(type))
		return 0;
	point = strchr(line + after_device, ' ');
	end = point ? strchr(point + 1, ' ') : NULL;
	if (!end)
		return -EINVAL;
	*end = 0;
	unescape(point + 1);
	return add_mount(mounts, id, mounts_pack_device(device_major, device_minor), point + 1, type);
}

int mounts_parse(char *mountinfo, struct mounts *ret)
{
	_cleanup_(mounts_releasep) struct mounts mounts = {0};
	char *rest = mountinfo, *line;

	while ((line = strsep(&rest, "\n"))) {
		int err = *line ? parse_line(&mounts, line) : 0;

		if (err)
			return err;
	}
	*ret = mounts;
	mounts = (struct mounts){0};
	return 0;
}

static int add_root(struct mounts *mounts)
{
	struct statx status;

	for (size_t i = 0; i < mounts->count; i++)
		if (streq(mounts->items[i].point, "/"))
			return 0;
	if (statx(AT_FDCWD, "/", 0, STATX_BASIC_STATS | STATX_MNT_ID, &status) < 0)
		return -errno;
	return add_mount(mounts, status.stx_mask & STATX_MNT_ID ? status.stx_mnt_id : 0,
		mounts_pack_device(status.stx_dev_major, status.stx_dev_minor), "/", "unknown");
}

int mounts_read(struct mounts *ret)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	int err = read_pseudo_file("/proc/self/mountinfo", MOUNTINFO_LIMIT, &text, &size);

	if (!err)
		err = mounts_parse(text, ret);
	if (err)
		return err;
	err = add_root(ret);
	if (err)
		mounts_release(ret);
	return err;
}

void mounts_release(struct mounts *mounts)
{
	for (size_t i = 0; i < mounts->count; i++) {
		free(mounts->items[i].point);
		free(mounts->items[i].type);
	}
	free(mounts->items);
	*mounts = (struct mounts){0};
}

const struct mount *mounts_find(const struct mounts *mounts, uint64_t id)
{
	for (size_t i = 0; i < mounts->count; i++)
		if (mounts->items[i].id == id)
			return &mounts->items[i];
	return NULL;
}
