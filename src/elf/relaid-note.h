/* SPDX-License-Identifier: MIT */
/*
 * Finds the note of a relaid file without a walk over its program headers: it lies directly before or behind them. An
 * ordinary file costs two reads of its first bytes, which the loader is about to read as well. A relaid file costs one
 * more, of bytes that are read next in any case.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/note.h"

/*
 * Reads the note of a file of that size, in bytes, which may be hostile: *ret is as in the file, little-endian, and *ret_offset
 * is where it lies. NOTE_REACH bytes from there are in the file. What the note says of other parts is not checked, nor is a checksum.
 * Returns false for a file that has no such note, or one of another version, and for one that cannot be read.
 */
bool elf_relaid_note(int fd, uint64_t file_size, struct note_segment *ret, uint64_t *ret_offset);
