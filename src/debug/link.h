/* SPDX-License-Identifier: MIT */
/*
 * The debug file whose name and CRC-32 are in .gnu_debuglink (gdb's manual, "Debugging Information in Separate Files"). For
 * FOLDER/program and the name N it is FOLDER/N, FOLDER/.debug/N or DEBUG/FOLDER/N. Both files may be hostile.
 */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "elf/file.h"

#define DEBUG_ID_MAX 64 /* bytes */

/* A build-id. */
struct debug_id {
	uint8_t bytes[DEBUG_ID_MAX];
	size_t size; /* 0: the file has none */
};

static inline bool debug_id_equal(const struct debug_id *a, const struct debug_id *b)
{
	return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/*
 * `file` has its descriptor, `id` is its build-id, `debug_folder` is absolute; FOLDER lies below `root` (debug/file.h), which is
 * no part of it there. Returns a descriptor, which is the caller's, of a regular file with that checksum and with that build-id
 * or none; or negative errno.
 */
int debug_link_open(
	struct elf_file *file, const struct debug_id *id, const char *root, const char *debug_folder);
