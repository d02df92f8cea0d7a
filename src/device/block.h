/* SPDX-License-Identifier: MIT */
/* Block devices as sysfs describes them. Internal to src/device and its tests. */
#pragma once

#include <sys/types.h>

#include "device/device.h"

/*
 * Class, queue limits and name of block device `number` from the sysfs mounted at `sysfs` ("/sys"; tests bring their
 * own). A partition gets those of its disk. A device with slaves (device-mapper, md) gets their class: rotational if
 * one of them is, unknown if one of them is unknown. Returns 0, -ENOENT (no such device), or negative errno.
 */
int block_device(const char *sysfs, dev_t number, struct device *ret);

#define BLOCK_ATTRIBUTE_MAX 256 /* bytes of an attribute that are read */

/* The first line of an attribute in the folder of a device (attribute.c). Returns 0, -EFBIG, or another negative errno. */
int block_attribute(const char *folder, const char *attribute, char value[BLOCK_ATTRIBUTE_MAX]);

/*
 * From the folder of a disk: whether it is a virtual machine's, and its size and identity. identity.c has both.
 */
bool block_is_virtual(const char *folder);
void block_identify(const char *folder, struct device *device);

/* The number of the block device called `name` ("sda1"). Returns 0 or negative errno. */
int block_number(const char *sysfs, const char *name, dev_t *ret);

/* read_ahead_kb of the backing device of a file system without a disk (NFS, FUSE); 0 if unknown. */
uint32_t backing_read_ahead_kb(const char *sysfs, dev_t number);

/* The number of the disk that the partition of this number is on; the same number for anything else. */
dev_t block_whole_disk(const char *sysfs, dev_t number);

/* The name of the block device of this number: "sda1". Returns 0, or negative errno if there is no such device. */
int block_name(const char *sysfs, dev_t number, char ret[DEVICE_NAME_MAX]);
