/* SPDX-License-Identifier: MIT */
/* Reads the entries of folders in the order of their blocks. */
#include "prefetch/folder-level.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "device/device.h"
#include "prefetch/planned-file.h"

#define FOLDERS_MAX 256u /* open at once: a small part of the 1,024 descriptors that every process may have */

bool folder_level_has(const struct plan_view *plan, uint32_t file)
{
	return LE32(plan->files[file].kind) == PLAN_DIRECTORY && plan_is_snapshot(plan) &&
		LE32(plan->header->order) == PLAN_ORDER_PHYSICAL;
}

/* ext4 tells where the entries of a folder lie as it does of a file's data. Where nobody tells, inodes decide. */
static uint64_t place_of(int fd)
{
	_cleanup_free_ struct device_extent *extents = NULL;
	size_t n = 0;

	return device_extents(fd, &extents, &n) == 0 && n > 0 ? extents[0].physical : UINT64_MAX;
}

bool folder_level_add(struct folder_level *level, const struct plan_view *plan, uint32_t file, int fd)
{
	if (level->n >= FOLDERS_MAX || ARRAY_RESERVE(level->items, level->capacity, level->n + 1) < 0)
		return false;
	level->depth = plan_path_level(plan_file_path(plan, file));
	level->items[level->n++] = (struct folder_entries){place_of(fd), file, fd};
	return true;
}

bool folder_level_ends_before(const struct folder_level *level, const struct plan_view *plan, uint32_t file)
{
	return level->n > 0 &&
		(level->n >= FOLDERS_MAX || !folder_level_has(plan, file) ||
			plan_path_level(plan_file_path(plan, file)) != level->depth);
}

static int compare_places(const void *a, const void *b)
{
	const struct folder_entries *x = a, *y = b;

	if (x->physical != y->physical)
		return x->physical < y->physical ? -1 : 1;
	return (x->file > y->file) - (x->file < y->file);
}

void folder_level_read(struct folder_level *level, const struct plan_view *plan)
{
	if (level->n > 1)
		qsort(level->items, level->n, sizeof(*level->items), compare_places);
	for (size_t i = 0; i < level->n; i++) {
		planned_file_load_names(&plan->files[level->items[i].file], level->items[i].fd);
		close(level->items[i].fd);
	}
	level->n = 0;
}

void folder_level_release(struct folder_level *level)
{
	for (size_t i = 0; i < level->n; i++)
		close(level->items[i].fd);
	free(level->items);
	*level = (struct folder_level){0};
}
