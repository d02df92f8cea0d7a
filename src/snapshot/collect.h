/* SPDX-License-Identifier: MIT */
/* Steps of a snapshot. Internal to src/snapshot and its tests. */
#pragma once

#include <sys/stat.h>

#include "snapshot/snapshot.h"

/* Whether a file system tells which names are in memory. */
enum walk_answers {
	WALK_UNTRIED = 0,
	WALK_ANSWERS,
	WALK_SILENT,
};

/*
 * Adds what is in memory of a folder and below it, without other file systems that are mounted there. With
 * `leave_silent` returns -EOPNOTSUPP if the file system does not tell which names are in memory.
 */
int walk_folder(struct snapshot *snapshot, const char *path, bool leave_silent);

/* Adds a name that is in memory, without pages, or finds it. *ret_file is its index in profile.files. */
int snapshot_add_name(struct snapshot *snapshot, const char *path, enum profile_kind kind, size_t *ret_file);

/* Adds the folders on the way to `path`. */
int snapshot_add_folders_to(struct snapshot *snapshot, const char *path);

/* Adds where the entries of an open folder lie on the disk of the file system with this id. Returns 0 or -ENOMEM. */
int folder_blocks_add(struct snapshot *snapshot, uint64_t file_system, int folder);

/*
 * Adds a regular file. `fd` is an O_PATH descriptor of it, which this consumes, and `st` what fstat(2) says of it. Without
 * `even_cold` it is left out if no page of it is resident, and otherwise the folders on the way to it are added.
 */
int pages_add(struct snapshot *snapshot, const char *path, int fd, const struct stat *st, bool even_cold);

/*
 * Adds ranges of the pages of which present[] has bit 0 set to a file; the first of them is page number `page`. Orders go
 * on from *touches. Returns 0, -EFBIG or -ENOMEM.
 */
int pages_add_map(struct profile_file *file, uint32_t page, const unsigned char *present, size_t pages,
	uint32_t *touches);

/* Leaves of the ranges of a file what `without` does not have. Both are ascending. Returns 0 or -ENOMEM. */
int pages_subtract(struct profile_file *file, const struct profile_file *without);
