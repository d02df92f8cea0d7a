/* SPDX-License-Identifier: MIT */
/* Which pages are hot, and where each lies. */
#pragma once

#include "relayout/compact/cuts.h"

/* Pages that stay neighbours. */
struct compact_block {
	size_t segment;   /* of the image */
	size_t first, n;  /* pages */
	size_t n_touched; /* of these */
	size_t n_reads;   /* stretches of touched pages */
	uint32_t order;   /* of the first touch */
	bool hot;
	bool head; /* holds the beginning of the file */
};

/* Made by compact_place(); the caller's to release. */
struct compact_places {
	struct compact_block *blocks; /* owned; ascending by address */
	size_t n_blocks, blocks_capacity;
	uint64_t **offsets; /* owned; in the result, of the pages of each segment */
	size_t n_segments;
	Elf64_Phdr *loads; /* owned; of the result */
	size_t n_loads, loads_capacity;
	size_t n_hot_runs;
	uint64_t tables_offset; /* in the result */
	uint64_t hot_end;
	uint64_t end; /* of all that is in memory */
};

/* Which blocks are hot, and where each lies. */
int compact_place(struct compaction *c, const struct compact_cuts *cuts, struct compact_places *ret);
void compact_places_release(struct compact_places *places);

/* Where the byte at an address lies in the result. An address at the end of a segment is an address of it. */
uint64_t compact_offset(const struct compact_places *places, uint64_t address);

/* Where the note lies: behind the program headers. */
uint64_t compact_note_offset(const struct compaction *c, const struct compact_places *places);

static inline void compact_places_releasep(struct compact_places *places)
{
	compact_places_release(places);
}
