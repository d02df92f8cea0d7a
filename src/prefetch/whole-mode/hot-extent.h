/* SPDX-License-Identifier: MIT */
/* Finds the bytes that a relaid file is loaded from, by its own note, without a profile. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "prefetch/whole-mode/object-parts.h"

/*
 * The appended tables and the hot region behind them (format/note.h), as one part inside the file. Returns false if the
 * file is not relaid, or if its note makes no sense: the file may be hostile. Waits for the disk if the ELF header and
 * the note are not in memory; nothing else is read.
 */
bool hot_extent(int fd, uint64_t file_size, struct object_part *ret);
