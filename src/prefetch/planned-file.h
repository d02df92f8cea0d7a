/* SPDX-License-Identifier: MIT */
/*
 * One file of a plan: opens it, and checks whether it is still the file that the plan was made for. open_typed() opens
 * it, in one step or two, with the type of plan_file_type() and with OPEN_NO_LINKS (the paths of a plan are canonical).
 * So nothing that took its place is opened.
 */
#pragma once

#include <stdint.h>

#include "format/plan-view.h"

/*
 * Whether the open file is still the planned one. Returns 0 and its size in bytes, -ESTALE if it has changed, -ENODATA
 * if there is nothing to prefetch because it lies in memory (tmpfs, ramfs), or negative errno.
 */
int planned_file_check(const struct plan_file *file, int fd, uint64_t *ret_size);

/*
 * Opens and checks, waiting for the disk if it must. Returns a descriptor, or negative errno as planned_file_check().
 */
int planned_file_open(const struct plan_view *plan, uint32_t index, uint64_t *ret_size);

/* Reads the content of a directory or a link, beyond its inode, into memory. Waits for the disk. */
void planned_file_load_names(const struct plan_file *file, int fd);

/* The bytes that an extent covers in a file of that size, clipped to it. Returns the length, which may be 0. */
uint64_t planned_extent_range(const struct plan_view *plan, const struct plan_extent *extent,
	uint64_t file_size, uint64_t *ret_offset);
