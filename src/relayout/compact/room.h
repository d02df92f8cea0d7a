/* SPDX-License-Identifier: MIT */
/* Place for program headers, and what moves out of its way. */
#pragma once

#include "relayout/compact/compaction.h"

/* Whether what a program header describes is found by it alone, so that it can lie anywhere. */
bool compact_is_note(const Elf64_Phdr *phdr);

/* Whether what was at this address has been moved out of the way. */
bool compact_was_moved(const struct compaction *c, uint64_t address);

/*
 * Before the passes: makes place for the program headers behind the ELF header. Notes go to the beginning of the tables,
 * before what passes make: objcopy --only-keep-debug keeps notes and no section before them.
 */
int compact_make_room(struct compaction *c, size_t max_loads);

/* After the passes: moves the tables that are in the way, as the notes were. */
int compact_move_tables(struct compaction *c);
