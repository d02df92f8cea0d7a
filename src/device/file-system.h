/* SPDX-License-Identifier: MIT */
/*
 * Which file system this is, whatever its disk is called today; and its disk itself, to read metadata from.
 *
 * Most file systems read their metadata through the page cache of the block device that they are mounted from. What is
 * read of that device is therefore in memory for them too.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

struct device_file_system {
	uint64_t id;  /* f_fsid of statfs(2), which ext2, ext3 and ext4 make of their UUID */
	dev_t number; /* of the block device that it is mounted from */
};

/*
 * The file system of an open file, O_PATH is enough. Returns 0; -EOPNOTSUPP if it is not on one block device, or if its
 * id says nothing of it: others make it of the number of the device; or negative errno.
 */
int device_file_system(int fd, struct device_file_system *ret);

/*
 * The shortest path at or below `root` (canonical; "": everywhere) at which the file system with this id is mounted, by the
 * file `mountinfo` ("/proc/self/mountinfo"; tests bring their own). *ret_point, without `root` in front, is the caller's
 * to free. Returns 0, -ENOENT, or another negative errno.
 */
int device_find_mount(
	const char *mountinfo, const char *root, uint64_t id, char **ret_point, dev_t *ret_number);

/*
 * Opens the block device, to read it, from which the file system at `point` is mounted. Its node is found by the name that
 * the kernel has for it, and opened only if it has the number. Returns a descriptor; -ESTALE if the file system has not
 * this id; or negative errno.
 */
int device_open_disk(const char *point, uint64_t id);
