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
	uint32_t without; /* FIEMAP_EXTENT_ flags of extents that are left out */
	struct device_extent *items;
	size_t count, capacity;
	struct device_extent *own; /* owned; those that are not said to be shared */
	size_t n_own, own_capacity;
};

static void extent_list_release(struct extent_list *list)
{
	free(list->items);
	free(list->own);
}

static int add_extent(struct extent_list *list, const struct fiemap_extent *extent)
{
	struct device_extent item = {
		.offset = extent->fe_logical,
		.length = extent->fe_length,
		.physical = extent->fe_physical,
	};

	if (extent->fe_flags & list->without)
		return 0;
	if (list->count >= EXTENTS_MAX)
		return -E2BIG;
	if (ARRAY_RESERVE(list->items, list->capacity, list->count + 1) < 0 ||
		ARRAY_RESERVE(list->own, list->own_capacity, list->n_own + 1) < 0)
		return -ENOMEM;
	list->items[list->count++] = item;
	if (!(extent->fe_flags & FIEMAP_EXTENT_SHARED))
		list->own[list->n_own++] = item;
	return 0;
}

static int by_physical(const void *a, const void *b)
{
	const struct device_extent *x = a, *y = b;

	return (x->physical > y->physical) - (x->physical < y->physical);
}

/*
 * Whether two extents lie on the same bytes of the device. erofs reports compressed data so, with the length that it
 * has unpacked and without FIEMAP_EXTENT_ENCODED: no byte of the file lies where such an extent says.
 */
static bool overlap(struct extent_list *list)
{
	if (list->n_own > 1)
		qsort(list->own, list->n_own, sizeof(*list->own), by_physical);
	for (size_t i = 1; i < list->n_own; i++)
		if (list->own[i].physical - list->own[i - 1].physical < list->own[i - 1].length)
			return true;
	return false;
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

static int list_extents(int fd, uint32_t without, struct device_extent **ret, size_t *ret_count)
{
	_cleanup_free_ struct fiemap *map = calloc(1, sizeof(*map) + BATCH * sizeof(map->fm_extents[0]));
	_cleanup_(extent_list_release) struct extent_list list = {.without = without};
	uint64_t offset = 0;
	int r;

	if (!map)
		return -ENOMEM;
	do
		r = add_batch(fd, map, &list, &offset);
	while (r > 0);
	if (r == 0 && overlap(&list))
		r = -EOPNOTSUPP;
	if (r < 0)
		return r;
	*ret = TAKE_PTR(list.items);
	*ret_count = list.count;
	return 0;
}

int device_extents(int fd, struct device_extent **ret, size_t *ret_count)
{
	return list_extents(fd, FLAGS_WITHOUT_PLACE, ret, ret_count);
}

int device_allocated(int fd, struct device_extent **ret, size_t *ret_count)
{
	return list_extents(fd, FLAGS_WITHOUT_PLACE & ~(uint32_t)FIEMAP_EXTENT_UNWRITTEN, ret, ret_count);
}

size_t device_extent_after(const struct device_extent *extents, size_t n, uint64_t offset)
{
	return ARRAY_BISECT(i, n, extents[i].offset + extents[i].length <= offset);
}
