/* SPDX-License-Identifier: MIT */
/*
 * Block devices as sysfs describes them (Documentation/ABI/stable/sysfs-block).
 *
 *     dev/block/8:1 -> ../../devices/…/sda/sda1     sda1/partition, sda/queue/rotational
 *     dev/block/253:0 -> …/dm-0                     dm-0/slaves/sda2 -> …/sda/sda2, sda2/dev = "8:2"
 */
#include "device/block.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"

#define STACK_MAX 8 /* dm over md over dm …: deeper than this means a loop in a fabricated tree */

static int read_number(const char *folder, const char *attribute, uint32_t *ret)
{
	char value[BLOCK_ATTRIBUTE_MAX];
	unsigned long number;
	char *end;
	int r = block_attribute(folder, attribute, value);

	if (r < 0)
		return r;
	errno = 0;
	number = strtoul(value, &end, 10);
	if (errno || end == value || *end || number > UINT32_MAX)
		return -EINVAL;
	*ret = (uint32_t)number;
	return 0;
}

static int read_dev(const char *folder, dev_t *ret)
{
	char value[BLOCK_ATTRIBUTE_MAX];
	unsigned major, minor;
	int r = block_attribute(folder, "dev", value);

	if (r < 0)
		return r;
	if (sscanf(value, "%u:%u", &major, &minor) != 2)
		return -EINVAL;
	*ret = makedev(major, minor);
	return 0;
}

int block_number(const char *sysfs, const char *name, dev_t *ret)
{
	char folder[PATH_MAX];

	if (strchr(name, '/'))
		return -EINVAL;
	if ((size_t)snprintf(folder, sizeof(folder), "%s/class/block/%s", sysfs, name) >= sizeof(folder))
		return -ENAMETOOLONG;
	return read_dev(folder, ret);
}

uint32_t backing_read_ahead_kb(const char *sysfs, dev_t number)
{
	char folder[PATH_MAX];
	uint32_t read_ahead_kb;

	if ((size_t)snprintf(folder, sizeof(folder), "%s/class/bdi/%u:%u", sysfs, major(number),
		    minor(number)) >= sizeof(folder) ||
		read_number(folder, "read_ahead_kb", &read_ahead_kb) < 0)
		return 0;
	return read_ahead_kb;
}

/* The folder of the disk or partition with this number, links resolved. The caller frees *ret. */
static int node_folder(const char *sysfs, dev_t number, char **ret)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s/dev/block/%u:%u", sysfs, major(number), minor(number)) >=
		sizeof(path))
		return -ENAMETOOLONG;
	*ret = realpath(path, NULL);
	return *ret ? 0 : -errno;
}

/* The same of the disk, not the partition. */
static int disk_folder(const char *sysfs, dev_t number, char **ret)
{
	uint32_t partition;
	int r = node_folder(sysfs, number, ret);

	if (r < 0)
		return r;
	if (read_number(*ret, "partition", &partition) == 0)
		*strrchr(*ret, '/') = '\0';
	return 0;
}

dev_t block_whole_disk(const char *sysfs, dev_t number)
{
	_cleanup_free_ char *folder = NULL;
	dev_t disk;

	return disk_folder(sysfs, number, &folder) == 0 && read_dev(folder, &disk) == 0 ? disk : number;
}

int block_name(const char *sysfs, dev_t number, char ret[DEVICE_NAME_MAX])
{
	_cleanup_free_ char *folder = NULL;
	const char *name;
	int r = node_folder(sysfs, number, &folder);

	if (r < 0)
		return r;
	name = strrchr(folder, '/') + 1;
	if (strlen(name) >= DEVICE_NAME_MAX)
		return -ENAMETOOLONG;
	strcpy(ret, name);
	return 0;
}

/* What is known of the disks below a device. */
struct below {
	enum device_class class;
	bool virtual_disk; /* one of them is */
	size_t disks;
	char folder[PATH_MAX]; /* of the last of them */
};

static void look_below(const char *sysfs, const char *folder, int depth, struct below *below);

/* Combines the classes of two devices below a third into the class of that one. */
static enum device_class class_of_both(enum device_class a, enum device_class b)
{
	if (a == DEVICE_ROTATIONAL || b == DEVICE_ROTATIONAL)
		return DEVICE_ROTATIONAL;
	return a == DEVICE_UNKNOWN || b == DEVICE_UNKNOWN ? DEVICE_UNKNOWN : DEVICE_SOLID;
}

static void add_class(enum device_class class, struct below *below)
{
	below->class = below->disks++ ? class_of_both(below->class, class) : class;
}

static void add_disk(const char *folder, struct below *below)
{
	enum device_class class = DEVICE_UNKNOWN;
	uint32_t rotational;

	if (read_number(folder, "queue/rotational", &rotational) == 0)
		class = rotational ? DEVICE_ROTATIONAL : DEVICE_SOLID;
	add_class(class, below);
	below->virtual_disk |= block_is_virtual(folder);
	snprintf(below->folder, sizeof(below->folder), "%s", folder);
}

static void add_slave(const char *sysfs, const char *slaves, const char *name, int depth, struct below *below)
{
	_cleanup_free_ char *folder = NULL;
	char path[PATH_MAX];
	dev_t number;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", slaves, name) >= sizeof(path) ||
		read_dev(path, &number) < 0 || disk_folder(sysfs, number, &folder) < 0 || depth >= STACK_MAX)
		add_class(DEVICE_UNKNOWN, below);
	else
		look_below(sysfs, folder, depth + 1, below);
}

/* Whether there are slaves; they are added then. */
static bool add_slaves(const char *sysfs, const char *folder, int depth, struct below *below)
{
	_cleanup_closedir_ DIR *dir = NULL;
	bool any = false;
	char slaves[PATH_MAX];

	if ((size_t)snprintf(slaves, sizeof(slaves), "%s/slaves", folder) >= sizeof(slaves))
		return false;
	dir = opendir(slaves);
	if (!dir)
		return false;
	for (struct dirent *entry; (entry = readdir(dir));) {
		if (entry->d_name[0] == '.')
			continue;
		add_slave(sysfs, slaves, entry->d_name, depth, below);
		any = true;
	}
	return any;
}

static void look_below(const char *sysfs, const char *folder, int depth, struct below *below)
{
	if (!add_slaves(sysfs, folder, depth, below))
		add_disk(folder, below);
}

int block_device(const char *sysfs, dev_t number, struct device *ret)
{
	_cleanup_free_ char *folder = NULL;
	struct below below = {0};
	struct device device = {0};
	int r = disk_folder(sysfs, number, &folder);

	if (r < 0)
		return r;
	look_below(sysfs, folder, 0, &below);
	device.class = below.class;
	device.virtual_disk = below.virtual_disk;
	if (below.disks == 1 && *below.folder)
		block_identify(below.folder, &device);
	read_number(folder, "queue/read_ahead_kb", &device.read_ahead_kb);
	read_number(folder, "queue/max_sectors_kb", &device.max_sectors_kb);
	snprintf(device.name, sizeof(device.name), "%s", strrchr(folder, '/') + 1);
	*ret = device;
	return 0;
}
