/* SPDX-License-Identifier: MIT */
/* Where a file's data lies on its device, by FIEMAP (Documentation/filesystems/fiemap.rst). */
#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "device/device.h"

#define BATCH       256u       /* extents asked for at once */
#define EXTENTS_MAX (1u << 20) /* of one file: a limit for a file system that never says "last" */

/* Extents without an address that a read uses: unwritten ones are zeroes without a read. */
#define FLAGS_WITHOUT_PLACE                                                                                  \
	(FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_ENCODED |                            \
		FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_DATA_TAIL | FIEMAP_EXTENT_UNWRITTEN)

struct extent_list {
	struct device_extent *items;
	size_t count, capacity;
};

static int add_extent(struct extent_list *list, const struct fiemap_extent *extent)
{
	int r;

	if (extent->fe_flags & FLAGS_WITHOUT_PLACE)
		return 0;
	if (list->count >= EXTENTS_MAX)
		return -E2BIG;
	r = ARRAY_RESERVE(list->items, list->capacity, list->count + 1);
	if (r < 0)
		return r;
	list->items[list->count++] = (struct device_extent){
		.offset = extent->fe_logical,
		.length = extent->fe_length,
		.physical = extent->fe_physical,
	};
	return 0;
}

/* Adds one batch from *offset on, and moves *offset behind it. Returns 1 if there may be more, else 0. */
static int add_batch(int fd, struct fiemap *map, struct extent_list *list, uint64_t *offset)
{
	*map = (struct fiemap){
		.fm_start = *offset,
		.fm_length = FIEMAP_MAX_OFFSET - *offset,
		.fm_extent_count = BATCH,
	};
	if (ioctl(fd, FS_IOC_FIEMAP, map) < 0)
		return errno == ENOTTY || errno == EINVAL ? -EOPNOTSUPP : -errno;
	for (uint32_t i = 0; i < map->fm_mapped_extents && i < BATCH; i++) {
		const struct fiemap_extent *extent = &map->fm_extents[i];
		uint64_t end;
		int r;

		if (__builtin_add_overflow(extent->fe_logical, extent->fe_length, &end) || end <= *offset)
			return -EIO;
		r = add_extent(list, extent);
		if (r < 0)
			return r;
		*offset = end;
		if (extent->fe_flags & FIEMAP_EXTENT_LAST)
			return 0;
	}
	return map->fm_mapped_extents > 0 && *offset < FIEMAP_MAX_OFFSET;
}

int device_extents(int fd, struct device_extent **ret, size_t *ret_count)
{
	_cleanup_free_ struct fiemap *map = calloc(1, sizeof(*map) + BATCH * sizeof(map->fm_extents[0]));
	_cleanup_free_ struct device_extent *items = NULL;
	struct extent_list list = {0};
	uint64_t offset = 0;
	int r;

	if (!map)
		return -ENOMEM;
	do {
		r = add_batch(fd, map, &list, &offset);
		items = list.items;
	} while (r > 0);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(items);
	*ret_count = list.count;
	return 0;
}
