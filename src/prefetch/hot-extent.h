/* SPDX-License-Identifier: MIT */
/* Where the bytes lie that a relaid file is loaded from, by its own note: no profile is needed to know it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "prefetch/object-parts.h"

/*
 * The appended tables and the hot region behind them (format/note.h), as one part inside the file. Returns
 * whether there are any: not for a file that is not relaid, nor for one whose note makes no sense, which may
 * be hostile. Waits for the disk where the ELF header and the note are not in memory; the rest is not read.
 */
bool hot_extent(int fd, uint64_t file_size, struct object_part *ret);
