/* SPDX-License-Identifier: MIT */
/* /proc/self/mountinfo. */
#include "record/names/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/paths/mountinfo.h"
#include "base/strings.h"

/*
 * Whether the files of this type of file system cache pages of a disk or a server, rather than being memory or kernel
 * objects.
 */
static bool is_disk_type(const char *type)
{
	static const char *const without_disk[] = {
		"autofs",
		"bdev",
		"binfmt_misc",
		"bpf",
		"cgroup",
		"cgroup2",
		"configfs",
		"debugfs",
		"devpts",
		"devtmpfs",
		"efivarfs",
		"fusectl",
		"hugetlbfs",
		"mqueue",
		"nfsd",
		"nsfs",
		"pidfs",
		"pipefs",
		"proc",
		"pstore",
		"ramfs",
		"resctrl",
		"rootfs",
		"rpc_pipefs",
		"securityfs",
		"selinuxfs",
		"smackfs",
		"sockfs",
		"sysfs",
		"tmpfs",
		"tracefs",
	};

	for (size_t i = 0; i < sizeof(without_disk) / sizeof(*without_disk); i++)
		if (streq(type, without_disk[i]))
			return false;
	return true;
}

static void release_mount(struct mount *mount)
{
	free(mount->root);
	free(mount->point);
	free(mount->type);
	free(mount->options);
}

static int add_mount(struct mounts *mounts, uint64_t id, uint32_t device, const char *root, const char *point,
	const char *type, const char *options)
{
	bool overlay = streq(type, "overlay");
	struct mount mount = {.id = id, .device = device};
	int r = ARRAY_RESERVE(mounts->items, mounts->capacity, mounts->count + 1);

	if (r < 0)
		return r;
	mount.root = strdup(root);
	mount.point = strdup(point);
	mount.type = strdup(type);
	mount.options = overlay ? strdup(options) : NULL;
	if (!mount.root || !mount.point || !mount.type || (overlay && !mount.options)) {
		release_mount(&mount);
		return -ENOMEM;
	}
	mounts->items[mounts->count++] = mount;
	return 0;
}

int mounts_parse(char *mountinfo, struct mounts *ret)
{
	_cleanup_(mounts_releasep) struct mounts mounts = {0};
	struct mountinfo mount;
	int r;

	while ((r = mountinfo_next(&mountinfo, &mount)) > 0) {
		if (!is_disk_type(mount.type))
			continue;
		r = add_mount(&mounts, mount.id, mounts_pack_device(mount.device_major, mount.device_minor),
			mount.root, mount.point, mount.type, mount.options);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
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
		mounts_pack_device(status.stx_dev_major, status.stx_dev_minor), "/", "/", "unknown", "");
}

int mounts_read(struct mounts *ret)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	int r = read_pseudo_file("/proc/self/mountinfo", MOUNTINFO_MAX, &text, &size);

	if (r == 0)
		r = mounts_parse(text, ret);
	if (r < 0)
		return r;
	r = add_root(ret);
	if (r < 0)
		mounts_release(ret);
	return r;
}

void mounts_release(struct mounts *mounts)
{
	for (size_t i = 0; i < mounts->count; i++)
		release_mount(&mounts->items[i]);
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

bool mounts_has_device(const struct mounts *mounts, uint32_t device)
{
	for (size_t i = 0; i < mounts->count; i++)
		if (mounts->items[i].device == device)
			return true;
	return false;
}

static bool is_served_type(const char *type)
{
	static const char *const served[] = {
		"9p", "afs", "ceph", "cifs", "coda", "nfs", "nfs4", "orangefs", "smb3", "smbfs"};

	for (size_t i = 0; i < sizeof(served) / sizeof(*served); i++)
		if (streq(type, served[i]))
			return true;
	return after_prefix(type, "fuse") != NULL;
}

bool mount_is_served(const struct mount *mount)
{
	return is_served_type(mount->type);
}

static bool is_to_be_asked(const struct mountinfo *mount)
{
	return (mountinfo_is_automount(mount) || is_served_type(mount->type)) && !streq(mount->point, "/") &&
		!streq(mount->point, "/usr");
}

int mounts_to_be_asked(char **ret)
{
	return mountinfo_points(is_to_be_asked, ret);
}
