/* SPDX-License-Identifier: MIT */
/*
 * The parts of an ELF file that loading is certain to touch: the tables of its relocation and the segments that these
 * fill in.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define OBJECT_PARTS_MAX 8

struct object_part {
	uint64_t offset; /* bytes */
	uint64_t length; /* bytes; > 0, and offset + length <= the file's size */
};

/*
 * The relocation tables first, then the writable segments, each clipped to the file. The file may be hostile: parts
 * that make no sense are left out. Waits for the disk if the headers are not in memory. Returns the number of parts.
 */
size_t object_parts(int fd, uint64_t file_size, struct object_part parts[OBJECT_PARTS_MAX]);
