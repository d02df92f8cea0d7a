/* SPDX-License-Identifier: MIT */
/* Unit tests of src/device on a made-up sysfs and mount table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "device/block.h"
#include "device/device.h"
#include "device/find.h"
#include "device/mount.h"
#include "replace/publish.h"
#include "tree.h"

static char root[] = "/tmp/headstart-device.XXXXXX";
static char mountinfo[64];
static struct device_tables tables = {.sysfs = root, .mountinfo = mountinfo};

static void put(const char *path, const char *text)
{
	char full[512], folder[512];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	snprintf(folder, sizeof(folder), "%s", full);
	*strrchr(folder, '/') = '\0';
	assert_int_equal(make_folders(folder, 0755), 0);
	assert_int_equal(publish_file(full, 0644, text, strlen(text)), 0);
}

static void link_to(const char *path, const char *target)
{
	char full[512], folder[512];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	snprintf(folder, sizeof(folder), "%s", full);
	*strrchr(folder, '/') = '\0';
	assert_int_equal(make_folders(folder, 0755), 0);
	assert_int_equal(symlink(target, full), 0);
}

/* devices/NAME with its queue, and the links of dev/block and class/block that lead to it. */
static void put_disk(const char *name, const char *number, const char *rotational)
{
	char path[256], target[256];

	snprintf(path, sizeof(path), "devices/%s/dev", name);
	put(path, number);
	if (rotational) {
		snprintf(path, sizeof(path), "devices/%s/queue/rotational", name);
		put(path, rotational);
		snprintf(path, sizeof(path), "devices/%s/queue/read_ahead_kb", name);
		put(path, "128\n");
		snprintf(path, sizeof(path), "devices/%s/queue/max_sectors_kb", name);
		put(path, "1280\n");
	}
	snprintf(path, sizeof(path), "dev/block/%.*s", (int)strcspn(number, "\n"), number);
	snprintf(target, sizeof(target), "../../devices/%s", name);
	link_to(path, target);
	snprintf(path, sizeof(path), "class/block/%s", strrchr(name, '/') ? strrchr(name, '/') + 1 : name);
	link_to(path, target);
}

static void put_slave(const char *name, const char *slave)
{
	char path[256], target[256];

	snprintf(path, sizeof(path), "devices/%s/slaves/%s", name, slave);
	snprintf(target, sizeof(target), "../../%s", slave);
	link_to(path, target);
}

static int make_tree(void **state)
{
	if (!mkdtemp(root))
		return -1;
	put_disk("sda", "8:0\n", "1\n");
	put_disk("sda/sda1", "8:1\n", NULL);
	put("devices/sda/sda1/partition", "1\n");
	put_disk("nvme0n1", "259:0\n", "0\n");
	put_disk("loop3", "7:3\n", "1\n");
	put_disk("odd", "9:9\n", "not a number\n");
	put_disk("dm-0", "253:0\n", "0\n"); /* one of its slaves is rotational */
	put_slave("dm-0", "nvme0n1");
	put_slave("dm-0", "sda");
	put_disk("dm-1", "253:1\n", "1\n"); /* its own statement does not count */
	put_slave("dm-1", "nvme0n1");
	put_disk("md0", "9:0\n", "1\n"); /* on a dm on a disk and an SSD */
	put_slave("md0", "dm-0");
	put_disk("dm-2", "253:2\n", "1\n"); /* on a device that makes no statement */
	put_slave("dm-2", "nvme0n1");
	put_slave("dm-2", "odd");
	put_disk("dm-3", "253:3\n", "1\n"); /* on itself */
	put_slave("dm-3", "dm-3");
	put("class/bdi/0:77/read_ahead_kb", "4096\n");
	snprintf(mountinfo, sizeof(mountinfo), "%s/mountinfo", root);
	return 0;
}

static int remove_tree(void **state)
{
	return tree_remove(root);
}

static enum device_class class_of(unsigned major_number, unsigned minor_number)
{
	struct device device;

	assert_int_equal(block_device(root, makedev(major_number, minor_number), &device), 0);
	return device.class;
}

static void disks_say_whether_they_turn(void **state)
{
	struct device device = {0};

	assert_int_equal(block_device(root, makedev(8, 0), &device), 0);
	assert_int_equal(device.class, DEVICE_ROTATIONAL);
	assert_int_equal(device.read_ahead_kb, 128);
	assert_int_equal(device.max_sectors_kb, 1280);
	assert_string_equal(device.name, "sda");
	assert_int_equal(class_of(259, 0), DEVICE_SOLID);
	assert_int_equal(class_of(7, 3), DEVICE_ROTATIONAL);
	assert_int_equal(class_of(9, 9), DEVICE_UNKNOWN);
	device.name[0] = '?';
	assert_true(block_device(root, makedev(1, 1), &device) < 0);
	assert_int_equal(device.name[0], '?');
}

static void partitions_are_their_disk(void **state)
{
	struct device device;

	assert_int_equal(block_device(root, makedev(8, 1), &device), 0);
	assert_int_equal(device.class, DEVICE_ROTATIONAL);
	assert_string_equal(device.name, "sda");
}

static void stacked_devices_are_their_slaves(void **state)
{
	assert_int_equal(class_of(253, 0), DEVICE_ROTATIONAL);
	assert_int_equal(class_of(253, 1), DEVICE_SOLID);
	assert_int_equal(class_of(9, 0), DEVICE_ROTATIONAL);
	assert_int_equal(class_of(253, 2), DEVICE_UNKNOWN);
	assert_int_equal(class_of(253, 3), DEVICE_UNKNOWN);
}

static struct device device_at(unsigned major_number, unsigned minor_number)
{
	struct device device;

	assert_int_equal(block_device(root, makedev(major_number, minor_number), &device), 0);
	return device;
}

/* By what it says of itself, and else by its number; with its size, since two disks may have one serial number. */
static void disks_have_an_identity(void **state)
{
	put("devices/sda/size", "2048\n");
	assert_string_equal(device_at(8, 0).identity, "number 8:0 2048");
	put("devices/sda/device/serial", "  \n");
	assert_string_equal(device_at(8, 0).identity, "serial __ 2048");
	put("devices/sda/device/wwid", "t10.ATA  DISK\x1b[2J\n");
	assert_string_equal(device_at(8, 0).identity, "wwid t10.ATA__DISK_[2J 2048");
	assert_int_equal(device_at(8, 0).size, 2048 * 512);
	assert_string_equal(device_at(8, 1).identity, device_at(8, 0).identity);
	put("devices/loop3/loop/backing_file", "/srv/image\n");
	assert_string_equal(device_at(7, 3).identity, "");
	put("devices/loop3/size", "16\n");
	assert_string_equal(device_at(7, 3).identity, "file /srv/image 16");
	put("devices/loop3/size", "0\n");
	assert_string_equal(device_at(7, 3).identity, "");
	put("devices/loop3/size", "99999999999999999999\n");
	assert_string_equal(device_at(7, 3).identity, "");
}

/* A stack has that of the only disk below it. */
static void stacks_have_the_identity_of_their_only_disk(void **state)
{
	put("devices/nvme0n1/size", "4096\n");
	put("devices/nvme0n1/wwid", "eui.01\n");
	assert_string_equal(device_at(253, 1).identity, "wwid eui.01 4096");
	assert_string_equal(device_at(253, 0).identity, "");
	assert_string_equal(device_at(253, 2).identity, "");
	assert_string_equal(device_at(253, 3).identity, "");
}

static void virtual_disks_are_known_as_such(void **state)
{
	assert_false(device_at(8, 0).virtual_disk);
	put("devices/sda/device/vendor", "QEMU    \n");
	assert_true(device_at(8, 0).virtual_disk);
	assert_true(device_at(8, 1).virtual_disk);
	assert_true(device_at(253, 0).virtual_disk);
	assert_true(device_is_guessed(&(struct device){.virtual_disk = true}));
	put("devices/sda/device/vendor", "ATA     \n");
	assert_false(device_at(8, 0).virtual_disk);
	assert_false(device_at(259, 0).virtual_disk);
	put("devices/nvme0n1/device/model", "Amazon Elastic Block Store\n");
	assert_true(device_at(253, 1).virtual_disk);
	put_disk("vda", "254:0\n", "1\n");
	assert_true(device_at(254, 0).virtual_disk);
}

static void a_rule_stays_above_a_measurement(void **state)
{
	struct device device = {.class = DEVICE_ROTATIONAL, .virtual_disk = true};

	device_set_model(&device, &(struct device_model){.latency_us = 100});
	assert_int_equal(device.class, DEVICE_SOLID);
	assert_false(device_is_guessed(&device));
	device = (struct device){.class = DEVICE_ROTATIONAL, .by_rule = true};
	device_set_model(&device, &(struct device_model){.latency_us = 100});
	assert_int_equal(device.class, DEVICE_ROTATIONAL);
	device_set_model(&device, &(struct device_model){.latency_us = 168, .seek_us = 7600, .depth = 64});
	device.by_rule = false;
	device_set_model(&device, &(struct device_model){.latency_us = 168, .seek_us = 7600, .depth = 64});
	assert_int_equal(device.class, DEVICE_SOLID); /* a far place costs, but many at once share that */
	device_set_model(&device, &(struct device_model){.latency_us = 168, .seek_us = 7600});
	assert_int_equal(device.class, DEVICE_ROTATIONAL);
}

static void put_mountinfo(const char *text)
{
	assert_int_equal(publish_file(mountinfo, 0644, text, strlen(text)), 0);
}

static struct device answer(
	unsigned long magic, unsigned long long number, unsigned long long mount_id, const char *path)
{
	struct device_question question = {magic, number, mount_id, path};
	struct device device;

	device_answer(&tables, &question, &device);
	return device;
}

static void the_type_settles_memory_and_network(void **state)
{
	struct device device;

	assert_int_equal(answer(TMPFS_MAGIC, makedev(0, 40), 1, "/tmp/x").class, DEVICE_MEMORY);
	assert_int_equal(answer(RAMFS_MAGIC, makedev(0, 40), 1, "/x").class, DEVICE_MEMORY);
	device = answer(NFS_SUPER_MAGIC, makedev(0, 77), 1, "/x");
	assert_int_equal(device.class, DEVICE_NETWORK);
	assert_int_equal(device.read_ahead_kb, 4096);
	assert_int_equal(answer(CIFS_SUPER_MAGIC, makedev(0, 40), 1, "/x").class, DEVICE_NETWORK);
	assert_int_equal(answer(V9FS_MAGIC, makedev(0, 40), 1, "/x").class, DEVICE_NETWORK);
}

static void fuse_is_unknown_unless_it_has_a_disk(void **state)
{
	struct device device;

	put_mountinfo("31 22 0:50 / /mnt/s rw - fuse.sshfs host:/dir rw\n");
	device = answer(FUSE_SUPER_MAGIC, makedev(0, 50), 31, "/mnt/s/f");
	assert_int_equal(device.class, DEVICE_UNKNOWN);
	assert_string_equal(device.name, "fuse.sshfs");
	assert_int_equal(answer(FUSE_SUPER_MAGIC, makedev(8, 1), 31, "/mnt/n/f").class, DEVICE_ROTATIONAL);
}

static void anonymous_numbers_lead_through_the_mount_table(void **state)
{
	put_mountinfo(
		"22 1 259:0 / / rw,relatime shared:1 - ext4 /dev/headstart-none rw\n"
		"30 22 0:44 /sub /data rw shared:7 master:3 - btrfs /dev/sda1 rw,subvol=/sub\n"
		"32 22 0:45 / /gone rw - btrfs /dev/headstart-none rw\n"
		"33 22 0:46 / /pool rw - zfs pool/data rw\n"
		"34 22\n"
		"not a line\n");
	assert_int_equal(answer(BTRFS_SUPER_MAGIC, makedev(0, 99), 30, "/data/f").class, DEVICE_ROTATIONAL);
	assert_int_equal(answer(BTRFS_SUPER_MAGIC, makedev(0, 99), 32, "/gone/f").class, DEVICE_UNKNOWN);
	assert_int_equal(answer(0x2fc12fc1, makedev(0, 46), 33, "/pool/f").class, DEVICE_UNKNOWN);
	assert_int_equal(answer(BTRFS_SUPER_MAGIC, makedev(0, 99), 34, "/f").class, DEVICE_UNKNOWN);
	assert_int_equal(answer(BTRFS_SUPER_MAGIC, makedev(0, 99), 35, "/f").class, DEVICE_UNKNOWN);
	assert_int_equal(answer(BTRFS_SUPER_MAGIC, makedev(0, 99), 0, NULL).class, DEVICE_UNKNOWN);
}

static void mount_lines_are_unescaped(void **state)
{
	_cleanup_(mount_releasep) struct mount mount = {0};

	put_mountinfo("40 22 0:44 / /a\\040b\\134c rw - ext4 /dev/x\\011y rw\n");
	assert_int_equal(mount_find(mountinfo, 40, &mount), 0);
	assert_string_equal(mount.point, "/a b\\c");
	assert_string_equal(mount.source, "/dev/x\ty");
	assert_string_equal(mount.type, "ext4");
	assert_true(mount_find(mountinfo, 41, &mount) < 0);
	assert_string_equal(mount.type, "ext4");
}

/* The layer is a real folder here: its file must get the answer that device_of() gives for the folder itself. */
static void overlay_files_are_on_the_device_of_their_layer(void **state)
{
	struct device_tables real = {.sysfs = "/sys", .mountinfo = mountinfo};
	struct device_question question = {OVERLAYFS_SUPER_MAGIC, makedev(0, 60), 50, "/merged/lower/file"};
	struct device direct, through;
	_cleanup_close_ int fd = -1;
	char line[512], path[256];

	put("layer/lower/file", "x");
	snprintf(path, sizeof(path), "%s/layer/lower/file", root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(device_of(fd, &direct), 0);
	snprintf(line, sizeof(line),
		"50 22 0:60 / /merged rw - overlay overlay rw,lowerdir=%s/none:%s/layer\n", root, root);
	put_mountinfo(line);
	device_answer(&real, &question, &through);
	assert_int_equal(through.class, direct.class);
	assert_string_equal(through.name, direct.name);
	question.path = "/merged/lower/missing";
	device_answer(&real, &question, &through);
	assert_int_equal(through.class, DEVICE_UNKNOWN);
	assert_string_equal(through.name, "overlay");
	question.path = "/mergedelsewhere/file";
	device_answer(&real, &question, &through);
	assert_int_equal(through.class, DEVICE_UNKNOWN);
}

static void extents_ascend_or_are_not_supported(void **state)
{
	_cleanup_free_ struct device_extent *extents = NULL;
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	size_t count = 0;
	int r = device_extents(fd, &extents, &count);

	assert_true(r == 0 || r == -EOPNOTSUPP);
	for (size_t i = 1; i < count; i++)
		assert_true(extents[i - 1].offset + extents[i - 1].length <= extents[i].offset);
	assert_int_equal(device_extents(null, &extents, &count), -EOPNOTSUPP);
}

static void only_fuse_can_be_uncached(void **state)
{
	_cleanup_close_ int fd = open(mountinfo, O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(device_uncached(fd), 0);
	assert_int_equal(device_uncached(-1), -EBADF);
}

static void errors_are_errors(void **state)
{
	struct device device;

	assert_int_equal(device_of(-1, &device), -EBADF);
	assert_int_equal(device_extents(-1, &(struct device_extent *){NULL}, &(size_t){0}), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(disks_say_whether_they_turn),
		cmocka_unit_test(partitions_are_their_disk),
		cmocka_unit_test(stacked_devices_are_their_slaves),
		cmocka_unit_test(disks_have_an_identity),
		cmocka_unit_test(stacks_have_the_identity_of_their_only_disk),
		cmocka_unit_test(virtual_disks_are_known_as_such),
		cmocka_unit_test(a_rule_stays_above_a_measurement),
		cmocka_unit_test(the_type_settles_memory_and_network),
		cmocka_unit_test(fuse_is_unknown_unless_it_has_a_disk),
		cmocka_unit_test(anonymous_numbers_lead_through_the_mount_table),
		cmocka_unit_test(mount_lines_are_unescaped),
		cmocka_unit_test(overlay_files_are_on_the_device_of_their_layer),
		cmocka_unit_test(extents_ascend_or_are_not_supported),
		cmocka_unit_test(only_fuse_can_be_uncached),
		cmocka_unit_test(errors_are_errors),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
