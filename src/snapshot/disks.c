/* SPDX-License-Identifier: MIT */
/* Which mounted file systems lie on disks (proc_pid_mountinfo(5)). */
#include <errno.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/paths/mountinfo.h"
#include "base/strings.h"
#include "snapshot/collect.h"

struct disk_mounts {
	struct mountinfo *items; /* owned; their texts are in the parsed file */
	size_t n, capacity;
};

static void disk_mounts_release(struct disk_mounts *mounts)
{
	free(mounts->items);
}

/*
 * File systems without a disk have numbers with major 0, but so has btrfs. An overlayfs counts as the root of a
 * container; elsewhere its layers are on disks that count themselves.
 */
static bool is_on_disk(const struct mountinfo *mount)
{
	return mount->device_major != 0 || streq(mount->type, "btrfs") ||
		(streq(mount->type, "overlay") && streq(mount->point, "/"));
}

/* Whether the part of a file system that `mount` shows is in what `whole` shows of the same one. */
static bool is_part(const struct mountinfo *mount, const struct mountinfo *whole)
{
	const char *rest = after_prefix(mount->root, whole->root);

	return mount->device_major == whole->device_major && mount->device_minor == whole->device_minor &&
		rest && (*rest == '\0' || *rest == '/' || streq(whole->root, "/"));
}

/* Whether another mount, or an earlier one of the same, has all of it. */
static bool is_covered(const struct disk_mounts *mounts, size_t index)
{
	for (size_t i = 0; i < mounts->n; i++)
		if (i != index && is_part(&mounts->items[index], &mounts->items[i]) &&
			(i < index || !is_part(&mounts->items[i], &mounts->items[index])))
			return true;
	return false;
}

/* Whether something else is mounted over it, so that its path does not lead to it. */
static bool is_hidden(const struct mountinfo *mount)
{
	struct stat st;

	return stat(mount->point, &st) < 0 || !S_ISDIR(st.st_mode) ||
		(mount->device_major != 0 && st.st_dev != makedev(mount->device_major, mount->device_minor));
}

static int read_mounts(char *text, struct disk_mounts *ret)
{
	struct mountinfo mount;
	int r;

	while ((r = mountinfo_next(&text, &mount)) != 0) {
		if (r < 0 || !is_on_disk(&mount) || is_hidden(&mount))
			continue;
		r = ARRAY_RESERVE(ret->items, ret->capacity, ret->n + 1);
		if (r < 0)
			return r;
		ret->items[ret->n++] = mount;
	}
	return 0;
}

int snapshot_add_disks(struct snapshot *snapshot, const char *mountinfo)
{
	_cleanup_(disk_mounts_release) struct disk_mounts mounts = {0};
	_cleanup_free_ char *text = NULL;
	size_t size;
	int r = read_pseudo_file(mountinfo, MOUNTINFO_MAX, &text, &size);

	if (r == 0)
		r = read_mounts(text, &mounts);
	for (size_t i = 0; r == 0 && i < mounts.n; i++) {
		if (is_covered(&mounts, i))
			continue;
		r = walk_folder(snapshot, mounts.items[i].point, true);
		if (r == -EOPNOTSUPP) {
			snapshot->silent++;
			r = 0;
		}
	}
	return r;
}
