/* SPDX-License-Identifier: MIT */
/*
 * The metadata that a start made file systems read. Those that read it through the page cache of their disk (ext2, ext3,
 * ext4 and others) are seen doing so: the pages that enter that cache belong to the kernel's own file system of block
 * devices, and to the inode whose number is that of the disk.
 */
#pragma once

#include "profile/profile.h"
#include "record/events/trace.h"
#include "record/names/mounts.h"

/*
 * Adds to the profile what the events say of the metadata of mounted file systems, as far as these have an id
 * (device/file-system.h). Returns 0 or -ENOMEM.
 */
int metadata_add(const struct record_trace *trace, const struct mounts *mounts, struct profile *into);

/*
 * The part of metadata_add() that does not look at the file systems. The device, as in struct record_event, of the file
 * system of block devices; UINT32_MAX if no event is of it.
 *
 * The kernel shows its number nowhere. It has no disk (major 0) and no mount point, its inodes have the numbers of disks, and
 * the kernel made it before all others without a disk that a process can make, so that it has the lowest number.
 */
uint32_t metadata_find_device(const struct record_trace *trace, const struct mounts *mounts);
