/* SPDX-License-Identifier: MIT */
/*
 * From an open file to the device its data lies on.
 *
 * For a file system on one disk, st_dev is the disk. Others have an anonymous number there (major 0): the mount table
 * names their source (btrfs) or layers (overlayfs), or the type alone is enough (tmpfs, NFS).
 */
#include "device/device.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/links.h"
#include "base/paths/overlay.h"
#include "base/strings.h"
#include "device/block.h"
#include "device/find.h"
#include "device/mount.h"

#define OVERLAYS_MAX 4 /* overlayfs itself stacks two deep (FILESYSTEM_MAX_STACK_DEPTH) */

static const struct {
	unsigned long magic; /* statfs(2) */
	enum device_class class;
	const char *name;
} types_without_disk[] = {
	{TMPFS_MAGIC, DEVICE_MEMORY, "tmpfs"},
	{RAMFS_MAGIC, DEVICE_MEMORY, "ramfs"},
	{HUGETLBFS_MAGIC, DEVICE_MEMORY, "hugetlbfs"},
	{NFS_SUPER_MAGIC, DEVICE_NETWORK, "nfs"},
	{SMB_SUPER_MAGIC, DEVICE_NETWORK, "smb"},
	{CIFS_SUPER_MAGIC, DEVICE_NETWORK, "cifs"},
	{SMB2_SUPER_MAGIC, DEVICE_NETWORK, "smb2"},
	{V9FS_MAGIC, DEVICE_NETWORK, "9p"},
	{CEPH_SUPER_MAGIC, DEVICE_NETWORK, "ceph"},
	{AFS_SUPER_MAGIC, DEVICE_NETWORK, "afs"},
	{AFS_FS_MAGIC, DEVICE_NETWORK, "afs"},
	{CODA_SUPER_MAGIC, DEVICE_NETWORK, "coda"},
};

const char *device_class_name(enum device_class class)
{
	switch (class) {
	case DEVICE_SOLID:
		return "solid";
	case DEVICE_ROTATIONAL:
		return "rotational";
	case DEVICE_MEMORY:
		return "memory";
	case DEVICE_NETWORK:
		return "network";
	case DEVICE_LAZY:
		return "lazy";
	case DEVICE_UNKNOWN:
		break;
	}
	return "unknown";
}

bool device_class_parse(const char *text, enum device_class *ret)
{
	if (streq(text, "auto"))
		*ret = DEVICE_UNKNOWN;
	else if (streq(text, "rotational"))
		*ret = DEVICE_ROTATIONAL;
	else if (streq(text, "solid"))
		*ret = DEVICE_SOLID;
	else if (streq(text, "lazy"))
		*ret = DEVICE_LAZY;
	else
		return false;
	return true;
}

int device_of_number(dev_t number, struct device *ret)
{
	return block_device("/sys", number, ret);
}

dev_t device_whole_disk(dev_t number)
{
	return block_whole_disk("/sys", number);
}

int device_block_name(dev_t number, char ret[DEVICE_NAME_MAX])
{
	return block_name("/sys", number, ret);
}

static int find_at_depth(const struct device_tables *tables, int fd, int depth, struct device *ret);

static void set_name(struct device *device, const char *name)
{
	snprintf(device->name, sizeof(device->name), "%s", name);
}

static bool without_disk(
	const struct device_tables *tables, const struct device_question *question, struct device *device)
{
	for (size_t i = 0; i < sizeof(types_without_disk) / sizeof(types_without_disk[0]); i++) {
		if (types_without_disk[i].magic != question->magic)
			continue;
		device->class = types_without_disk[i].class;
		set_name(device, types_without_disk[i].name);
		device->read_ahead_kb = backing_read_ahead_kb(tables->sysfs, question->number);
		return true;
	}
	return false;
}

/* The device that a mount names as its source, by its node or, in a chroot without /dev, by its name. */
static int find_source(const struct device_tables *tables, const char *source, struct device *ret)
{
	const char *name = after_prefix(source, "/dev/");
	struct stat st;
	dev_t number;
	int r;

	if (!name)
		return -ENOENT;
	if (stat(source, &st) == 0 && S_ISBLK(st.st_mode)) {
		number = st.st_rdev;
	} else {
		r = block_number(tables->sysfs, name, &number);
		if (r < 0)
			return r;
	}
	return block_device(tables->sysfs, number, ret);
}

/* What follows `point` in `path`: "" or "/…"; NULL if the path does not lie below it. */
static const char *below_mount(const char *path, const char *point)
{
	const char *rest = streq(point, "/") ? path : after_prefix(path, point);

	return rest && (*rest == '\0' || *rest == '/') ? rest : NULL;
}

/* Opens the file of one layer that an overlayfs shows at `rest` below its mount. */
static int open_in_layer(const struct mount *mount, const char *layer, const char *rest)
{
	const char *root = streq(mount->root, "/") ? "" : mount->root;
	char path[PATH_MAX];
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s%s%s", layer, root, rest) >= sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int find_in_layers(const struct device_tables *tables, const struct mount *mount, const char *file,
	int depth, struct device *ret)
{
	const char *rest = file ? below_mount(file, mount->point) : NULL;

	if (!rest || depth >= OVERLAYS_MAX)
		return -ENOENT;
	for (size_t n = 0;; n++) {
		_cleanup_free_ char *layer = NULL;
		_cleanup_close_ int fd = -1;
		int r = overlay_layer(mount->options, true, n, &layer);

		if (r < 0)
			return r;
		fd = open_in_layer(mount, layer, rest);
		if (fd >= 0)
			return find_at_depth(tables, fd, depth + 1, ret);
	}
}

/* For a file system with an anonymous device number. In doubt, an unknown device with the type's name. */
static void find_by_mount(const struct device_tables *tables, const struct device_question *question,
	int depth, struct device *device)
{
	_cleanup_(mount_releasep) struct mount mount = {0};

	if (mount_find(tables->mountinfo, question->mount_id, &mount) < 0)
		return;
	set_name(device, mount.type);
	if (streq(mount.type, "overlay"))
		find_in_layers(tables, &mount, question->path, depth, device);
	else
		find_source(tables, mount.source, device);
	if (!device->read_ahead_kb)
		device->read_ahead_kb = backing_read_ahead_kb(tables->sysfs, question->number);
}

static void answer_at_depth(const struct device_tables *tables, const struct device_question *question,
	int depth, struct device *ret)
{
	struct device device = {.class = DEVICE_UNKNOWN};

	/* fuseblk has the magic of FUSE and the number of its disk; plain FUSE has an anonymous number. */
	if (!without_disk(tables, question, &device) &&
		(major(question->number) == 0 || block_device(tables->sysfs, question->number, &device) < 0))
		find_by_mount(tables, question, depth, &device);
	*ret = device;
}

void device_answer(
	const struct device_tables *tables, const struct device_question *question, struct device *ret)
{
	answer_at_depth(tables, question, 0, ret);
}

static int find_at_depth(const struct device_tables *tables, int fd, int depth, struct device *ret)
{
	struct device_question question = {0};
	char path[PATH_MAX];
	struct statfs fs;
	struct statx stx;

	if (fstatfs(fd, &fs) < 0 || statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &stx) < 0)
		return -errno;
	question.magic = (unsigned long)fs.f_type & 0xffffffffu;
	question.number = makedev(stx.stx_dev_major, stx.stx_dev_minor);
	question.mount_id = stx.stx_mask & STATX_MNT_ID ? stx.stx_mnt_id : 0;
	if (path_of_fd(fd, path) == 0)
		question.path = path;
	answer_at_depth(tables, &question, depth, ret);
	return 0;
}

int device_of(int fd, struct device *ret)
{
	static const struct device_tables kernel = {.sysfs = "/sys", .mountinfo = "/proc/self/mountinfo"};

	return find_at_depth(&kernel, fd, 0, ret);
}
