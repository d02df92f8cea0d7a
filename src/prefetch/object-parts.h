/* SPDX-License-Identifier: MIT */
/* What of an ELF file is certain to be read when it is loaded: the tables of its relocation and what they
 * fill in. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define OBJECT_PARTS_MAX 8

struct object_part {
	uint64_t offset; /* bytes */
	uint64_t length; /* bytes; > 0, and offset + length <= the file's size */
};

/*
 * The relocation tables first, then the writable segments, each clipped to the file. The file may be hostile:
 * what makes no sense is left out. Waits for the disk where the headers are not in memory. Returns how many
 * there are.
 */
size_t object_parts(int fd, uint64_t file_size, struct object_part parts[OBJECT_PARTS_MAX]);
