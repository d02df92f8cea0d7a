/* SPDX-License-Identifier: MIT */
/*
 * Problem: without a shim, page faults read the hot region, in the order of the program and not of the file. The kernel
 * reads 128 KiB ahead from a fault, but in code only to the end of its mapping (since Linux 6.17). So the faults in
 * code become no fewer, and each is a seek.
 *
 * But ld.so touches pages in the order of their addresses before the program runs, when it relocates. It touches data,
 * and around a fault in data the kernel reads 64 KiB to either side in the file, whatever is mapped from there
 * (mm/filemap.c, do_sync_mmap_readahead). So we spread the pages of data over the hot region by address, so closely
 * that these windows touch: relocation then reads the whole hot region from one end to the other. Data pages come in
 * pairs, because the kernel stops reading around faults when misses outnumber hits (MMAP_LOTSAMISS), and the second
 * page of a pair is a hit.
 *
 * This costs one PT_LOAD for each pair of data pages, and one for the piece that the pair cuts. By the model of
 * relaid/cost.h, on a rotational disk libxul's 1,456 faults in 10.7 s become 547 in 1.3 s.
 */
#include "relayout/passes/interleave.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"

#define WINDOW        (128u << 10) /* bytes: the kernel's default of read_ahead_kb */
#define DATA_TOGETHER 2            /* pages */

/* Pieces to take pages from, one after the other. */
struct supply {
	const struct relayout_piece **pieces; /* owned */
	size_t n, at;
	size_t taken; /* pages of pieces[at] */
	size_t pages; /* of all, at the beginning */
};

struct weaver {
	const struct relayout_image *image;
	struct supply data, others;
	struct relayout_piece *parts; /* owned */
	size_t n, capacity;
	size_t gap;   /* pages of others between those of data */
	size_t left;  /* pages of the gap before the next data */
	size_t spare; /* PT_LOADs that may still be added */
};

static void weaver_release(struct weaver *weaver)
{
	free(weaver->data.pieces);
	free(weaver->others.pieces);
	free(weaver->parts);
}

/* A segment without bytes may have the address of the next one: it stays before that. */
static int by_address(const void *a, const void *b)
{
	const struct relayout_piece *one = a, *other = b;

	if (one->load.p_vaddr != other->load.p_vaddr)
		return one->load.p_vaddr < other->load.p_vaddr ? -1 : 1;
	return (one->segment > other->segment) - (one->segment < other->segment);
}

/* Sorts data by address, and everything else by first touch. */
static int supplies_init(struct weaver *weaver, const struct relayout_pieces *pieces)
{
	weaver->data.pieces = calloc(pieces->n_hot + 1, sizeof(*weaver->data.pieces));
	weaver->others.pieces = calloc(pieces->n_hot + 1, sizeof(*weaver->others.pieces));
	if (!weaver->data.pieces || !weaver->others.pieces)
		return -ENOMEM;
	for (size_t i = 0; i < pieces->n; i++) {
		const struct relayout_piece *piece = &pieces->all[i];
		struct supply *supply = piece->load.p_flags & PF_W ? &weaver->data : &weaver->others;

		if (!piece->hot)
			continue;
		supply->pieces[supply->n++] = piece;
		supply->pages += piece->n_pages;
	}
	qsort(weaver->others.pieces, weaver->others.n, sizeof(*weaver->others.pieces),
		relayout_piece_by_order);
	return 0;
}

static int add_part(struct weaver *weaver, struct relayout_piece part)
{
	if (ARRAY_RESERVE(weaver->parts, weaver->capacity, weaver->n + 1) < 0)
		return -ENOMEM;
	relayout_piece_cut(&part, weaver->image);
	weaver->parts[weaver->n++] = part;
	return 0;
}

/*
 * Makes the next pages of the supply, `at_most` and those joined with them, the next part of the hot region. *ret_n is
 * how many these are.
 */
static int take(struct weaver *weaver, struct supply *supply, size_t at_most, size_t *ret_n)
{
	struct relayout_piece part = *supply->pieces[supply->at];

	part.first += supply->taken;
	part.n_pages -= supply->taken;
	while (at_most < part.n_pages && part.segment->pages[part.first + at_most].joined)
		at_most++;
	if (part.n_pages > at_most) {
		part.n_pages = at_most;
		supply->taken += at_most;
	} else {
		supply->taken = 0;
		supply->at++;
	}
	part.order = (uint32_t)weaver->n;
	*ret_n = part.n_pages;
	return add_part(weaver, part);
}

static int weave_one(struct weaver *weaver)
{
	bool may = weaver->data.at < weaver->data.n && weaver->spare >= 2;
	size_t n;
	int r;

	if (may && weaver->left == 0) {
		weaver->spare -= 2;
		weaver->left = weaver->gap;
		return take(weaver, &weaver->data, DATA_TOGETHER, &n);
	}
	r = take(weaver, &weaver->others, may ? weaver->left : SIZE_MAX, &n);
	weaver->left -= n < weaver->left ? n : weaver->left;
	return r;
}

static int weave(struct weaver *weaver)
{
	size_t n;
	int r = 0;

	while (weaver->others.at < weaver->others.n && r == 0)
		r = weave_one(weaver);
	while (weaver->data.at < weaver->data.n && r == 0)
		r = take(weaver, &weaver->data, SIZE_MAX, &n);
	return r;
}

int relayout_interleave(struct relayout_pieces *pieces, const struct relayout_image *image)
{
	_cleanup_(weaver_release) struct weaver weaver = {
		.image = image, .gap = WINDOW / image->granule, .spare = image->spare_segments};
	int r;

	if (weaver.gap <= 2 * DATA_TOGETHER)
		return 0; /* with pages this large, a window has no room for others */
	weaver.gap -= DATA_TOGETHER;
	weaver.left = weaver.gap / 2;
	r = supplies_init(&weaver, pieces);
	if (r < 0 || weaver.others.pages < weaver.gap || weaver.data.pages < DATA_TOGETHER)
		return r;
	r = weave(&weaver);
	for (size_t i = 0; i < pieces->n && r == 0; i++)
		if (!pieces->all[i].hot)
			r = add_part(&weaver, pieces->all[i]);
	if (r < 0)
		return r;
	qsort(weaver.parts, weaver.n, sizeof(*weaver.parts), by_address);
	free(pieces->all);
	pieces->all = TAKE_PTR(weaver.parts);
	pieces->capacity = weaver.capacity;
	pieces->n_hot += weaver.n - pieces->n;
	pieces->n = weaver.n;
	return 0;
}
