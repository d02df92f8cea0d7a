/* SPDX-License-Identifier: MIT */
/*
 * What every step of a compaction knows. compact.c takes the steps in this order; each makes a struct that later steps
 * only read:
 *
 *     before the passes   room.h
 *     after them          room.h, tables.h -> cuts.h -> order.h -> sections.h -> write.h
 */
#pragma once

#include "elf/sections.h"
#include "relayout/passes/pass.h"
#include "relayout/passes/refusal.h"

#define COMPACT_NOWHERE UINT64_MAX

struct compact_range {
	uint64_t address, size;
};

/* Bytes of memory that were moved. */
struct compact_move {
	uint64_t from, size, to;
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

static inline uint64_t compact_round_up(const struct compaction *c, uint64_t value)
{
	return (value + c->image->granule - 1) & ~(c->image->granule - 1);
}

/* For `return`: nothing can be done, and why. */
static inline int compact_refuse(struct compaction *c, const char *problem)
{
	return pass_refuse(&c->problem, problem);
}
