/* SPDX-License-Identifier: MIT */
/* The PT_LOADs of a relaid file: those of the original, cut where pages change between hot and cold. */
#pragma once

#include "relayout/passes/image.h"

struct relayout_piece {
	Elf64_Phdr load; /* as it will be written */
	const struct relayout_segment *segment;
	size_t first, n_pages; /* its pages; none for a segment without file content */
	bool hot;
	uint32_t order; /* in the hot region: of its earliest page, or what relayout_interleave() gave it */
};

struct relayout_pieces {
	struct relayout_piece *all; /* owned; ascending by address, those of a segment together */
	size_t n, capacity;
	size_t n_hot;

	/* Set by relayout_pieces_place(). */
	struct relayout_piece **hot; /* owned; into all, in the order of the hot region */
	uint64_t hot_size;           /* bytes of the hot region */
	bool keeps_alignment;        /* the largest p_align is that of the original */
};

/* Cuts the segments. Returns 0 or -ENOMEM. */
int relayout_pieces_init(struct relayout_pieces *ret, const struct relayout_image *image);
void relayout_pieces_release(struct relayout_pieces *pieces);

/*
 * Gives hot pieces their places by their order, relative to the start of the hot region. Cut no piece after that.
 * Returns 0 or -ENOMEM.
 */
int relayout_pieces_place(struct relayout_pieces *pieces, const struct relayout_image *image);

/* For qsort(3) of pointers to pieces: by order, then by address. */
int relayout_piece_by_order(const void *a, const void *b);

/* Sets piece->load from its segment and pages. */
void relayout_piece_cut(struct relayout_piece *piece, const struct relayout_image *image);

static inline void relayout_pieces_releasep(struct relayout_pieces *pieces)
{
	relayout_pieces_release(pieces);
}
