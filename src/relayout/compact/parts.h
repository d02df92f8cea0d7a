/* SPDX-License-Identifier: MIT */
/* What the steps of a compaction share. They run in the order in which they are declared here. */
#pragma once

#include "base/strings.h"
#include "elf/sections.h"
#include "relayout/compact/compact.h"
#include "relayout/passes/refusal.h"

#define COMPACT_NOWHERE UINT64_MAX

struct compact_range {
	uint64_t address, size;
};

/* Bytes of memory that were moved. */
struct compact_move {
	uint64_t from, size, to;
};

struct compact_page {
	bool joined; /* with the page before it: they have to stay neighbours in the file */
	bool dead;   /* nobody reads it any more */
};

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

/* A section of the result. */
struct compact_section {
	Elf64_Shdr header;
	size_t old; /* the section of the original that it is (a part of), 0 for a new one */
};

/* Place for program headers, and what moved out of its way. */
struct compact_room {
	size_t max_loads;           /* as many PT_LOADs as there may be */
	uint64_t end;               /* of the program headers, if there are so many, and of the note */
	struct compact_move *moves; /* owned */
	size_t n_moves, moves_capacity;
};

/* What every step knows. The room is made before the passes, so that it has to wait here for the steps after
 * them. */
struct compaction {
	struct relayout_image *image;
	const struct elf_view *view;
	struct elf_sections sections;
	struct compact_room room;
	const char *problem; /* of -EOPNOTSUPP */
};

/* Each of these is made by one step, and is the caller's to release; later steps only read it. */

struct compact_tables {
	struct compact_range *now;  /* owned; where each section lies in memory now; size 0 if it is gone */
	struct compact_range *dead; /* owned */
	size_t n_dead, dead_capacity;
};

struct compact_cuts {
	struct compact_page **pages; /* owned; of each segment of the image */
	size_t n_segments;
};

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

struct compact_sections {
	struct compact_section *all; /* owned; of the result */
	size_t n, capacity;
	struct string_table names; /* owned */
	uint64_t end;              /* of all but the section headers, in the result */
};

static inline uint64_t compact_round_up(const struct compaction *c, uint64_t value)
{
	return (value + c->image->granule - 1) & ~(c->image->granule - 1);
}

/* For `return`: nothing can be done, and why. */
static inline int compact_refuse(struct compaction *c, const char *problem)
{
	return pass_refuse(&c->problem, problem);
}

/* tables.c: whether each table of dynamic linking is a section. */
bool compact_knows_tables(const struct compaction *c);

/* Which dynamic entry of the original leads to the section, or DT_NULL. */
int64_t compact_table_tag(const struct compaction *c, size_t section);

/* Dynamic entries that lead to what was moved follow it. */
int compact_redirect(struct compaction *c, const struct compact_move *move);

/* room.c: whether what a program header describes is found by it alone, so that it can lie anywhere.
 */
bool compact_is_note(const Elf64_Phdr *phdr);

/* room.c: whether what was at this address has been moved out of the way. */
bool compact_was_moved(const struct compaction *c, uint64_t address);

/*
 * room.c: makes place for the program headers behind the ELF header. Notes go to the beginning of the
 * tables, before what passes make: objcopy --only-keep-debug keeps notes and no section before them.
 */
int compact_make_room(struct compaction *c, size_t max_loads);

/* tables.c: whether the string table ends where its last string does: else more of it is read than its size
 * says. */
bool compact_strings_end(const struct compaction *c);

/* tables.c, after the passes: what one of them left of DT_STRTAB in two places becomes one table. */
int compact_unite_strings(struct compaction *c);

/* room.c: the tables that are in the way, as the notes were. */
int compact_move_tables(struct compaction *c);

/* tables.c: where the sections of dynamic linking lie now, and which bytes are dead thereby. */
int compact_find_tables(struct compaction *c, struct compact_tables *ret);
void compact_tables_release(struct compact_tables *tables);

/* cuts.c: which pages have to stay neighbours, and which nobody reads any more. */
int compact_find_cuts(struct compaction *c, const struct compact_tables *tables, struct compact_cuts *ret);
void compact_cuts_release(struct compact_cuts *cuts);

/* order.c: which blocks are hot, and where each lies. */
int compact_place(struct compaction *c, const struct compact_cuts *cuts, struct compact_places *ret);
void compact_places_release(struct compact_places *places);

/* Where the byte at an address lies in the result. An address at the end of a segment is an address of it. */
uint64_t compact_offset(const struct compact_places *places, uint64_t address);

/* Where the note lies: behind the program headers. */
uint64_t compact_note_offset(const struct compaction *c, const struct compact_places *places);

/* sections.c: the sections of the result. The non-loaded ones get their places. */
int compact_split_sections(struct compaction *c, const struct compact_tables *tables,
	const struct compact_places *places, struct compact_sections *ret);
void compact_sections_release(struct compact_sections *sections);

/* The index in the result of each section of the original, or of its first piece; 0 for one that is gone. The
 * caller frees it; NULL without memory. */
size_t *compact_first_pieces(const struct compaction *c, const struct compact_sections *result);

/* write.c: all of it. */
int compact_write(const struct compaction *c, const struct compact_tables *tables,
	const struct compact_cuts *cuts, const struct compact_places *places,
	const struct compact_sections *sections, uint64_t profile, struct compacted *ret);

static inline void compact_tables_releasep(struct compact_tables *tables)
{
	compact_tables_release(tables);
}

static inline void compact_cuts_releasep(struct compact_cuts *cuts)
{
	compact_cuts_release(cuts);
}

static inline void compact_places_releasep(struct compact_places *places)
{
	compact_places_release(places);
}

static inline void compact_sections_releasep(struct compact_sections *sections)
{
	compact_sections_release(sections);
}
