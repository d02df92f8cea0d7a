/* SPDX-License-Identifier: MIT */
#include "relayout/passes/pieces.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"

/*
 * Makes the program header of some pages of a segment. The first piece keeps the segment's address, which need not
 * begin a page. The last keeps its end, and with it the zeros in memory. Those between are whole pages.
 */
void relayout_piece_cut(struct relayout_piece *piece, const struct relayout_image *image)
{
	const struct relayout_segment *segment = piece->segment;
	Elf64_Phdr load = segment->load;
	uint64_t start = segment->address + piece->first * image->granule;
	uint64_t end = start + piece->n_pages * image->granule;
	uint64_t skipped = start > load.p_vaddr ? start - load.p_vaddr : 0;

	load.p_vaddr += skipped;
	load.p_paddr += skipped;
	load.p_offset += skipped;
	load.p_filesz -= skipped;
	load.p_memsz -= skipped;
	if (piece->first + piece->n_pages < segment->n_pages)
		load.p_filesz = load.p_memsz = end - load.p_vaddr;
	piece->load = load;
}

static int add_piece(
	struct relayout_pieces *pieces, const struct relayout_image *image, struct relayout_piece piece)
{
	if (ARRAY_RESERVE(pieces->all, pieces->capacity, pieces->n + 1) < 0)
		return -ENOMEM;
	relayout_piece_cut(&piece, image);
	pieces->all[pieces->n++] = piece;
	pieces->n_hot += piece.hot;
	return 0;
}

static int add_segment(struct relayout_pieces *pieces, const struct relayout_image *image,
	const struct relayout_segment *segment)
{
	size_t page = 0;
	int r = 0;

	if (segment->n_pages == 0)
		return add_piece(pieces, image, (struct relayout_piece){.segment = segment});
	while (page < segment->n_pages && r == 0) {
		struct relayout_piece piece = {
			.segment = segment,
			.first = page,
			.hot = relayout_page_is_hot(&segment->pages[page]),
			.order = RELAYOUT_COLD,
		};

		for (; page < segment->n_pages && relayout_page_is_hot(&segment->pages[page]) == piece.hot;
			page++)
			if (segment->pages[page].order < piece.order)
				piece.order = segment->pages[page].order;
		piece.n_pages = page - piece.first;
		r = add_piece(pieces, image, piece);
	}
	return r;
}

int relayout_piece_by_order(const void *a, const void *b)
{
	const struct relayout_piece *one = *(struct relayout_piece *const *)a;
	const struct relayout_piece *other = *(struct relayout_piece *const *)b;

	if (one->order != other->order)
		return one->order < other->order ? -1 : 1;
	return one->load.p_vaddr < other->load.p_vaddr ? -1 : 1;
}

static int place_hot(struct relayout_pieces *pieces, const struct relayout_image *image)
{
	size_t n = 0;

	pieces->hot = calloc(pieces->n_hot + 1, sizeof(*pieces->hot));
	if (!pieces->hot)
		return -ENOMEM;
	for (size_t i = 0; i < pieces->n; i++)
		if (pieces->all[i].hot)
			pieces->hot[n++] = &pieces->all[i];
	qsort(pieces->hot, n, sizeof(*pieces->hot), relayout_piece_by_order);
	for (size_t i = 0; i < n; i++) {
		Elf64_Phdr *load = &pieces->hot[i]->load;

		load->p_offset = pieces->hot_size + load->p_vaddr % image->granule;
		load->p_align = image->granule;
		pieces->hot_size += pieces->hot[i]->n_pages * image->granule;
	}
	return 0;
}

static uint64_t largest_alignment(const Elf64_Phdr *load, uint64_t so_far)
{
	return load->p_align > so_far ? load->p_align : so_far;
}

/*
 * Copies are aligned to pages, but the loader aligns the object to the largest p_align of all. If no piece has that any
 * more, the first one gets it: it stays in its place, usually at 0, which has any alignment.
 */
static void keep_alignment(struct relayout_pieces *pieces, const struct relayout_image *image)
{
	Elf64_Phdr *first = &pieces->all[0].load;
	uint64_t before = 0, now = 0;

	for (size_t i = 0; i < image->n_segments; i++)
		before = largest_alignment(&image->segments[i].load, before);
	for (size_t i = 0; i < pieces->n; i++)
		now = largest_alignment(&pieces->all[i].load, now);
	if (now < before && !pieces->all[0].hot && ((first->p_vaddr - first->p_offset) & (before - 1)) == 0)
		first->p_align = now = before;
	pieces->keeps_alignment = now == before;
}

int relayout_pieces_init(struct relayout_pieces *ret, const struct relayout_image *image)
{
	_cleanup_(relayout_pieces_releasep) struct relayout_pieces pieces = {0};
	int r = 0;

	for (size_t i = 0; i < image->n_segments && r == 0; i++)
		r = add_segment(&pieces, image, &image->segments[i]);
	if (r < 0)
		return r;
	*ret = pieces;
	pieces = (struct relayout_pieces){0};
	return 0;
}

int relayout_pieces_place(struct relayout_pieces *pieces, const struct relayout_image *image)
{
	int r = place_hot(pieces, image);

	if (r == 0)
		keep_alignment(pieces, image);
	return r;
}

void relayout_pieces_release(struct relayout_pieces *pieces)
{
	free(pieces->all);
	free(pieces->hot);
	*pieces = (struct relayout_pieces){0};
}
