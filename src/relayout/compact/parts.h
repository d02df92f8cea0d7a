/* SPDX-License-Identifier: MIT */
/* What the steps of a compaction share. They run in the order in which they are declared here. */
#pragma once

#include "base/strings.h"
#include "elf/sections.h"
#include "relayout/compact/compact.h"

#define COMPACT_NOWHERE UINT64_MAX

struct compact_range {
	uint64_t address, size;
};

/* Bytes of memory that were moved. */
struct compact_move {
	uint64_t from, size, to;
};

struct compact_page {
	bool joined;     /* with the page before it: they have to stay neighbours in the file */
	bool dead;       /* nobody reads it any more */
	uint64_t offset; /* in the result, or COMPACT_NOWHERE */
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

struct compaction {
	struct relayout_image *image;
	const struct elf_view *view;
	struct elf_sections sections;
	size_t max_loads;  /* as many PT_LOADs as there may be */
	uint64_t room_end; /* end of the program headers, if there are so many, and of the note */
	struct compact_move *moves;
	size_t n_moves, moves_capacity;
	bool *splittable;             /* of each section: may be split, wherever no function or object is */
	struct compact_range *tables; /* where each section lies in memory now; size 0 if it is gone */
	struct compact_range *dead;
	size_t n_dead, dead_capacity;
	struct compact_page **pages;  /* of each segment of the image */
	struct compact_block *blocks; /* ascending by address */
	size_t n_blocks, blocks_capacity;
	Elf64_Phdr *loads; /* of the result */
	size_t n_loads, loads_capacity;
	size_t n_hot_runs;
	uint64_t tables_offset; /* in the result */
	uint64_t hot_end;
	uint64_t end;                   /* of all that is in memory */
	struct compact_section *result; /* sections */
	size_t n_result, result_capacity;
	struct string_table names; /* of them */
	const char *problem;       /* of -EOPNOTSUPP */
};

static inline uint64_t compact_round_up(const struct compaction *c, uint64_t value)
{
	return (value + c->image->granule - 1) & ~(c->image->granule - 1);
}

/* For `return`: nothing can be done, and why. */
int compact_refuse(struct compaction *c, const char *problem);

/* tables.c: whether each table of dynamic linking is a section. */
bool compact_knows_tables(const struct compaction *c);

/* Which dynamic entry of the original leads to the section, or DT_NULL. */
int64_t compact_table_tag(const struct compaction *c, size_t section);

/* Dynamic entries that lead to what was moved follow it. */
int compact_redirect(struct compaction *c, const struct compact_move *move);

/* room.c: whether what a program header describes is found by it alone, so that it can lie anywhere.
 */
bool compact_is_note(const Elf64_Phdr *phdr);

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
int compact_find_tables(struct compaction *c);

/* cuts.c: which pages have to stay neighbours, and which nobody reads any more. */
int compact_find_cuts(struct compaction *c);

/* order.c: which blocks are hot, and where each lies. */
int compact_place(struct compaction *c);

/* Where the byte at an address lies in the result. An address at the end of a segment is an address of it. */
uint64_t compact_offset(const struct compaction *c, uint64_t address);

/* Where the note lies: behind the program headers. */
uint64_t compact_note_offset(const struct compaction *c);

/* sections.c: the sections of the result. The non-loaded ones get their places. */
int compact_split_sections(struct compaction *c);

/* The index in the result of each section of the original, or of its first piece; 0 for one that is gone. The
 * caller frees it; NULL without memory. */
size_t *compact_first_pieces(const struct compaction *c);

/* write.c: all of it. */
int compact_write(struct compaction *c, uint64_t profile, struct compacted *ret);
