/* SPDX-License-Identifier: MIT */
/* The PT_LOADs of a relaid file: the original's, cut where pages change between hot and cold. */
#pragma once

#include "relayout/passes/image.h"

struct layout_piece {
	Elf64_Phdr load; /* as it will be */
	const struct layout_segment *segment;
	size_t first, n_pages; /* its pages; none for a segment without content in the file */
	bool hot;
	uint32_t order; /* in the hot region: of its earliest page, or what layout_interleave() gave it */
};

struct layout_pieces {
	struct layout_piece *all; /* owned; ascending by address, those of a segment together */
	size_t n, capacity;
	struct layout_piece **hot; /* owned; into all, in the order of the hot region */
	size_t n_hot;
	uint64_t hot_size;    /* bytes of the hot region */
	bool keeps_alignment; /* the largest p_align is that of the original */
};

/* Hot pieces have their place relative to the hot region: add its offset. Returns 0 or -ENOMEM. */
int layout_pieces_init(struct layout_pieces *ret, const struct layout_image *image);
void layout_pieces_release(struct layout_pieces *pieces);

/* For qsort(3) of pointers to pieces: by order, then by address. */
int layout_piece_by_order(const void *a, const void *b);

/* Sets piece->load from its segment and pages. */
void layout_piece_cut(struct layout_piece *piece, const struct layout_image *image);

static inline void layout_pieces_releasep(struct layout_pieces *pieces)
{
	layout_pieces_release(pieces);
}
