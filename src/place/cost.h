/* SPDX-License-Identifier: MIT */
/*
 * What a cold start reads from a disk, without headstart and with a plan, and how long that takes by what the disk was
 * measured to be (device/model.h).
 *
 * Without headstart a file's inode is read before its data, with those beside it. Inodes lie at the beginning of each 2 GiB
 * (flex_bg with mke2fs's default of 16 groups), so how far the data lies from there counts. Folders are left out, and for
 * a start with a plan inodes too: they are read before all data, before and after placing.
 *
 * Without headstart each page that is not there yet faults, and the kernel reads what lies around it: read_ahead_kb, half
 * of it before the page (mm/filemap.c, do_sync_mmap_readahead()). If a file is read from its beginning it first gets four
 * pages (mm/readahead.c, get_init_ra_size()). One page of what was read is marked, and when it is touched the kernel reads on,
 * up to twice as much (page_cache_async_ra()). Code is read otherwise (base/files/code-faults.h). Where such a window is
 * not contiguous on the disk, it is several reads, one after the other.
 *
 * With a plan the touched pages are read in the order in which they lie on the disk.
 *
 * A file of more extents than its inode has room for costs one read more: that of its extent tree
 * (Documentation/filesystems/ext4/ifork.rst).
 */
#pragma once

#include "place/disk.h"

#define PLACE_INODE_EXTENTS 4u /* that an inode of ext4 has room for */

/* Where the data of one file lies: extents, ascending by offset. */
struct place_map {
	const struct device_extent *items; /* borrowed */
	size_t n;
};

/* `maps` has one map for each file of the disk. Return 0 or -ENOMEM. */
int place_cost_alone(const struct place_disk *disk, const struct place_start *start,
	const struct place_map *maps, struct place_cost *ret);
int place_cost_planned(const struct place_disk *disk, const struct place_start *start,
	const struct place_map *maps, struct place_cost *ret);

/*
 * Where the data of a file lies after its runs in `moved` have come into the area, which consists of these extents with
 * offsets in the area. The caller frees *ret. Returns 0 or -ENOMEM.
 */
int place_map_after(const struct place_file *file, const struct device_extent *area, size_t n_area,
	uint32_t page_size, struct device_extent **ret, size_t *ret_n);
