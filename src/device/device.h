/* SPDX-License-Identifier: MIT */
/* The device that a file lies on, as far as the order and the size of reads depend on it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "device/model.h"

enum device_class {
	DEVICE_UNKNOWN = 0, /* treated like solid state */
	DEVICE_SOLID = 1,   /* no seeks: flash, network disks, virtual disks that say that they are solid */
	DEVICE_ROTATIONAL = 2,
	DEVICE_MEMORY = 3,  /* tmpfs, ramfs: nothing to prefetch */
	DEVICE_NETWORK = 4, /* NFS, CIFS, 9p */
	DEVICE_LAZY =
		5, /* solid, and fetches each block from elsewhere when it is first read; only a rule says so */
};

#define DEVICE_IDENTITY_MAX 320

struct device {
	enum device_class class
		; /* what the device says of itself, unless a rule or a measurement knows better */
	uint32_t read_ahead_kb;  /* 0 if unknown */
	uint32_t max_sectors_kb; /* 0 if unknown */
	char name[64];           /* "sda", "loop0", "nfs"; for users */
	bool by_rule;            /* the class is a rule's (device_of_by_rules()) */
	bool virtual_disk;       /* a hypervisor's, which says nothing true of what lies below it */
	bool measured;           /* the class and the model are those of a measurement */
	uint64_t size;           /* bytes; 0 if unknown */
	/* Of the only disk below, stable across boots, in printable ASCII: "serial S3Z8NB0K 500118192"; "" if unknown. */
	char identity[DEVICE_IDENTITY_MAX];
	struct device_model model;
};

/* Takes the class from a model that was measured of the device, unless a rule has set it. */
void device_set_model(struct device *device, const struct device_model *model);

/* Whether the class is only a guess: a hypervisor's default. */
static inline bool device_is_guessed(const struct device *device)
{
	return device->virtual_disk && !device->measured && !device->by_rule;
}

/* The disk of this number, or of the one that the partition of this number is on. Returns 0 or negative errno. */
int device_of_number(dev_t number, struct device *ret);

/* The number of the disk that the partition of this number is on; the same number for anything else. */
dev_t device_whole_disk(dev_t number);

#define DEVICE_NAME_MAX 64

/* The name of the block device of this number: "sda1". Returns 0, or negative errno if there is no such device. */
int device_block_name(dev_t number, char ret[DEVICE_NAME_MAX]);

const char *device_class_name(enum device_class class);

/* What users may say of a device: auto (DEVICE_UNKNOWN), rotational, solid or lazy. Returns whether it is one of them. */
bool device_class_parse(const char *text, enum device_class *ret);

/*
 * The device under an open file, through partitions, device-mapper and md (slaves), btrfs and overlayfs (the layer that
 * has the file). It does *not* follow a loop device to its backing file: the loop device's own queue says what it is.
 * In doubt the class is DEVICE_UNKNOWN, which is no error. Returns 0 or negative errno.
 */
int device_of(int fd, struct device *ret);

/*
 * Whether the kernel drops what it has cached of this open regular file whenever somebody opens it, so that reading
 * ahead is in vain. Some FUSE file systems want it so. Reads the file's first page to find out. Returns 1, 0, or
 * negative errno if it cannot be found out.
 */
int device_uncached(int fd);

/* A setting that overrides the class of a device, or of everything in a folder. */
struct device_rule {
	char *path; /* "/dev/sda", or a folder and all in it; absolute, without a '/' at the end */
	enum device_class class;
};

/*
 * device_of(), with the class of the rule that fits. The rule of the longest folder that the file lies in counts before
 * a rule of the device, which is named as in struct device or by any of its nodes.
 */
int device_of_by_rules(int fd, const struct device_rule *rules, size_t n_rules, struct device *ret);

/* One run of a file that is contiguous on the disk. */
struct device_extent {
	uint64_t offset;   /* bytes in the file */
	uint64_t length;   /* bytes */
	uint64_t physical; /* bytes on the device */
};

/*
 * The extents of a file by FIEMAP (Documentation/filesystems/fiemap.rst), ascending by offset, without those flagged
 * unknown, encoded or inline. The caller frees *ret. Returns 0; -EOPNOTSUPP if the file system does not say where data
 * lies, or says the same of two extents that are not shared (erofs does of compressed files); or negative errno.
 */
int device_extents(int fd, struct device_extent **ret, size_t *ret_count);

/* The same with extents that are allocated but were never written, whose bytes are zeroes without a read. */
int device_allocated(int fd, struct device_extent **ret, size_t *ret_count);

/* Of extents that ascend by offset: the one that has the byte at `offset`, or the first one behind it, or n. */
size_t device_extent_after(const struct device_extent *extents, size_t n, uint64_t offset);
