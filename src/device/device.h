/* SPDX-License-Identifier: MIT */
/* What a file lies on, as far as the order and the size of reads depend on it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum device_class {
	DEVICE_UNKNOWN = 0, /* treated like solid state */
	DEVICE_SOLID = 1,   /* no seeks: flash, network disks, virtual disks that say so */
	DEVICE_ROTATIONAL = 2,
	DEVICE_MEMORY = 3,  /* tmpfs, ramfs: nothing to prefetch */
	DEVICE_NETWORK = 4, /* NFS, CIFS, 9p */
};

struct device {
	enum device_class class;
	uint32_t read_ahead_kb;  /* 0 where unknown */
	uint32_t max_sectors_kb; /* 0 where unknown */
	char name[64];           /* "sda", "loop0", "nfs"; for people */
	bool by_rule;            /* the class is a rule's (device_of_by_rules()) */
};

const char *device_class_name(enum device_class class);

/*
 * The device under an open file: through partitions, device-mapper and md (slaves), loop (backing file is
 * *not* followed: the loop device's own queue says what it is), btrfs and overlayfs (lower layer of that
 * file). Any doubt is DEVICE_UNKNOWN, not an error. Returns 0 or negative errno.
 */
int device_of(int fd, struct device *ret);

/* What somebody knows better of a device, or of what lies in a folder. */
struct device_rule {
	char *path; /* "/dev/sda", or a folder and all in it; absolute, without a '/' at the end */
	enum device_class class;
};

/*
 * device_of(), and then the class of the rule that fits: that of the device, named as struct device has it or by a node
 * of its own; or rather that of the longest folder the file lies in.
 */
int device_of_by_rules(int fd, const struct device_rule *rules, size_t n_rules, struct device *ret);

/* One run of a file that is contiguous on the disk. */
struct device_extent {
	uint64_t offset;   /* bytes in the file */
	uint64_t length;   /* bytes */
	uint64_t physical; /* bytes on the device */
};

/*
 * The extents of a file by FIEMAP (Documentation/filesystems/fiemap.rst), ascending by offset; those flagged
 * unknown, encoded or inline are left out. *ret, malloc()ed, is the caller's. Returns 0, -EOPNOTSUPP, or
 * negative errno.
 */
int device_extents(int fd, struct device_extent **ret, size_t *ret_count);
