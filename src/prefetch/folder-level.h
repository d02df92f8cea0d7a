/* SPDX-License-Identifier: MIT */
/*
 * The folders of a snapshot, on a disk with a head. The plan opens them level by level, in the order of their inodes; that
 * reads inode tables. Their entries are read when the whole level is open, in the order in which these lie on the disk,
 * so that the head passes the inodes once and the entries once, instead of going to and fro for each folder.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/plan-view.h"

struct folder_entries {
	uint64_t physical; /* bytes on the device, where the entries begin; UINT64_MAX: not known */
	uint32_t file;     /* index in plan->files */
	int fd;
};

struct folder_level {
	struct folder_entries *items; /* owned, and so are the descriptors */
	size_t n, capacity;
	uint32_t depth; /* of all folders in it: how many '/' their paths have */
};

/* Whether this file is a folder that belongs to a level. */
bool folder_level_has(const struct plan_view *plan, uint32_t file);

/*
 * Adds an open folder, whose descriptor this takes. Returns whether it did: not if it is short of memory, or if so many are
 * open already that others need the descriptors.
 */
bool folder_level_add(struct folder_level *level, const struct plan_view *plan, uint32_t file, int fd);

/* Whether the file is one that must wait until the entries of this level are read, because it may lie in one of them. */
bool folder_level_ends_before(const struct folder_level *level, const struct plan_view *plan, uint32_t file);

/* Reads the entries of all folders of the level, and empties it. Waits for the disk. */
void folder_level_read(struct folder_level *level, const struct plan_view *plan);

void folder_level_release(struct folder_level *level);
