/* SPDX-License-Identifier: MIT */
/*
 * The profile on disk: one or more recordings, one after the other. Each is little-endian, with tables and strings one
 * after the other in the order in which they are read, so that there is no offset to go wrong:
 *
 *     struct disk_header
 *     struct disk_file[file_count]     ascending by order
 *     struct disk_range[range_count]   those of the first file, then those of the second …
 *     struct elf_part[part_count]      likewise: landmarks around the hot pages (elf/landmarks.h)
 *     struct elf_landmark[mark_count]
 *     struct disk_file_system[file_system_count]
 *     struct disk_block_range[block_range_count]    those of the first file system, then those of the second …
 *     uint32_t[exec_count]             touches before each exec point, ascending
 *     functions_size bytes             for each object with functions that were called: struct disk_object, its path,
 *                                      struct disk_call[call_count] ascending by offset
 *     strings                          NUL-terminated: command, program, kernel, device, milestone, folder, rule,
 *                                      asked_path, then the path of each file, then that of each exec point, then
 *                                      each argument
 *     checksum                         XXH3-64 of all bytes before it
 *
 * A field may be added only with a new version: a reader refuses all others.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "elf/landmarks.h"
#include "profile/file/profile-file.h"

#define PROFILE_VERSION 9u

struct disk_header {
	uint8_t magic[8]; /* PROFILE_MAGIC */
	uint32_t version; /* PROFILE_VERSION */
	uint32_t page_size;
	uint64_t file_size; /* bytes: all of this recording, the checksum included */
	int64_t recorded;
	uint32_t runs;
	uint32_t touches;
	uint32_t backend;
	uint32_t bias;
	uint32_t file_count;
	uint32_t range_count;
	uint32_t exec_count;
	uint32_t strings_size; /* bytes */
	uint64_t asked;
	uint32_t status;
	uint32_t argument_count;
	uint32_t part_count;
	uint32_t mark_count;
	uint32_t file_system_count;
	uint32_t block_range_count;
	uint32_t first_touches;
	uint32_t first_pages;
	uint64_t functions_size; /* bytes; 0: no functions were recorded */
};

struct disk_file {
	uint64_t size;
	int64_t mtime;
	uint32_t order;
	uint32_t range_count;
	uint32_t kind;
	uint32_t build_id_size;
	uint8_t build_id[PROFILE_BUILD_ID_MAX]; /* 0 after build_id_size */
	uint32_t part_count;
	uint32_t mark_count;
};

struct disk_range {
	uint32_t page;
	uint32_t pages;
	uint32_t order;
	uint32_t runs;
	uint16_t unsure; /* these two as in struct profile_doubt */
	uint16_t missed;
};

struct disk_file_system {
	uint64_t id;
	uint64_t range_count;
};

struct disk_block_range {
	uint32_t page;
	uint32_t pages;
};

struct disk_object {
	uint64_t base; /* the lowest address of its functions */
	uint32_t call_count;
	uint32_t build_id_size;
	uint8_t build_id[PROFILE_BUILD_ID_MAX];
};

struct disk_call {
	uint32_t offset; /* from base */
	uint32_t order;
	uint32_t place; /* these four as in struct profile_place */
	uint32_t size;
	uint32_t name;
	uint32_t lengths;
};

_Static_assert(sizeof(struct disk_header) == 112, "on-disk layout");
_Static_assert(sizeof(struct disk_file) == 72, "on-disk layout");
_Static_assert(sizeof(struct elf_part) == 12, "on-disk layout");
_Static_assert(sizeof(struct elf_landmark) == 8, "on-disk layout");
_Static_assert(sizeof(struct disk_range) == 20, "on-disk layout");
_Static_assert(sizeof(struct disk_file_system) == 16, "on-disk layout");
_Static_assert(sizeof(struct disk_block_range) == 8, "on-disk layout");
_Static_assert(sizeof(struct disk_object) == 48, "on-disk layout");
_Static_assert(sizeof(struct disk_call) == 24, "on-disk layout");
