/* SPDX-License-Identifier: MIT */
/* Unit tests of the choice of devices whose read-ahead a recording switches off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/io.h"
#include "record/restore/restore.h"
#include "tree.h"

static char folder[] = "/tmp/headstart-restore.XXXXXX";
static int sysfs;

/* A file below the folder, and the folders above it. */
static void make(const char *path, const char *text)
{
	char above[128];
	int fd;

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(above, sizeof(above), "%.*s", (int)(slash - path), path);
		mkdirat(sysfs, above, 0755);
	}
	fd = openat(sysfs, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_int_equal(write_full(fd, text, strlen(text)), 0);
	close(fd);
}

/* Two disks; the first one has a partition. */
static int make_sysfs(void **state)
{
	static const char *const bdis[] = {
		"8:0", "8:1-fuseblk", "8:16", "8:17-fuseblk", "0:51-fuse", "btrfs-1", "0:60-nfs"};
	char path[64];

	if (!mkdtemp(folder))
		return -1;
	sysfs = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < sizeof(bdis) / sizeof(*bdis); i++) {
		snprintf(path, sizeof(path), "class/bdi/%s/read_ahead_kb", bdis[i]);
		make(path, "128\n");
	}
	make("block/sda/dev", "8:0\n");
	make("block/sda/sda1/partition", "1\n");
	make("dev/block/none", "");
	return symlinkat("../../block/sda/sda1", sysfs, "dev/block/8:1");
}

static int remove_sysfs(void **state)
{
	close(sysfs);
	return tree_remove(folder);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct read_ahead *)a)->bdi, ((const struct read_ahead *)b)->bdi);
}

/* Which devices are chosen if this is mounted, one after the other with a space behind each. */
static void assert_chosen(const char *mount, const char *want)
{
	struct restore restore = RESTORE_INIT;
	struct mounts mounts = {0};
	char mountinfo[128], chosen[256] = "";

	snprintf(mountinfo, sizeof(mountinfo), "20 1 %s\n", mount);
	assert_int_equal(mounts_parse(mountinfo, &mounts), 0);
	restore.sysfs = sysfs;
	assert_int_equal(restore_choose_devices(&restore, &mounts), 0);
	qsort(restore.devices, restore.n_devices, sizeof(*restore.devices), by_name);
	for (size_t i = 0; i < restore.n_devices; i++)
		strcat(strcat(chosen, restore.devices[i].bdi), " ");
	assert_string_equal(chosen, want);
	assert_false(restore.read_ahead_on);
	free(restore.devices);
	mounts_release(&mounts);
}

static void a_partition_has_the_read_ahead_of_its_disk(void **state)
{
	assert_chosen("8:1 / / rw - ext4 /dev/sda1 rw", "8:0 8:1-fuseblk ");
	assert_chosen("8:16 / / rw - ext4 /dev/sdb rw", "8:16 ");
}

static void ntfs_on_a_partition_has_its_own(void **state)
{
	assert_chosen("8:1 / / rw - fuseblk /dev/sda1 rw", "8:0 8:1-fuseblk ");
	assert_chosen("8:17 / / rw - fuseblk /dev/sdb1 rw", "8:17-fuseblk ");
}

static void a_file_system_without_a_disk_has_its_own(void **state)
{
	assert_chosen("0:51 / / rw - fuse.squashfuse squashfuse rw", "0:51-fuse ");
	assert_chosen("0:40 / / rw - btrfs /dev/sdb rw", "btrfs-1 ");
	assert_chosen("0:60 / / rw - nfs server:/ rw", "0:60-nfs ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_partition_has_the_read_ahead_of_its_disk),
		cmocka_unit_test(ntfs_on_a_partition_has_its_own),
		cmocka_unit_test(a_file_system_without_a_disk_has_its_own),
	};

	return cmocka_run_group_tests(tests, make_sysfs, remove_sysfs);
}
