/* SPDX-License-Identifier: MIT */
/*
 * One file of a plan: how it is opened, and whether it is still the file the plan was made for. It is opened by open_typed(),
 * of plan_file_type() and with OPEN_NO_LINKS (the paths of a plan are canonical), in one step or two: nothing that took its
 * place is opened.
 */
#pragma once

#include <stdint.h>

#include "format/plan-view.h"

/*
 * Whether the open file is still the one planned. Returns 0 and its size in bytes, -ESTALE if it has changed,
 * -ENODATA if there is nothing to prefetch (it lies in memory: tmpfs, ramfs), or negative errno.
 */
int planned_file_check(const struct plan_file *file, int fd, uint64_t *ret_size);

/*
 * Opens and checks; waits for the disk if it must. Returns a descriptor, or negative errno as planned_file_check().
 */
int planned_file_open(const struct plan_view *plan, uint32_t index, uint64_t *ret_size);

/* Brings what a directory or a link holds, beyond its inode, into memory. Waits for the disk. */
void planned_file_load_names(const struct plan_file *file, int fd);

/*
 * The bytes of a file, of that size, that an extent covers: clipped, so it may be none. Returns the length.
 */
uint64_t planned_extent_range(const struct plan_view *plan, const struct plan_extent *extent,
	uint64_t file_size, uint64_t *ret_offset);
