/* SPDX-License-Identifier: MIT */
/*
 * Touches each block of a lazily loaded device once, before anything else is read.
 *
 * Such a device, a cloud volume made from a snapshot, fetches each block of 512 KiB from elsewhere when it is first read, which takes
 * some 30 ms, and many at once. In the order of first touch a few reads at once would wait for a few blocks at once. So one page
 * of each block is read first, the blocks in the order in which they are needed; when the pages themselves are read, their blocks are
 * there or on their way.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "plan/build/draft.h"

#define BLOCK_BYTES (UINT64_C(512) << 10)

/* A page of a block that an extent reads. */
struct block_page {
	uint32_t device; /* index in devices */
	uint64_t block;
	uint32_t order; /* of the extent */
	uint32_t file, page;
};

struct block_pages {
	struct block_page *items; /* owned */
	size_t n, capacity;
};

static void block_pages_release(struct block_pages *pages)
{
	free(pages->items);
}

/* Adds the first page of each block that the extent, one run on the disk, reaches into. */
static int add_blocks(
	const struct plan_draft *draft, const struct draft_extent *extent, struct block_pages *pages)
{
	uint64_t page_size = draft->profile->page_size, at = extent->physical;
	uint64_t end = at + draft_bytes(draft, extent->pages);

	while (at < end) {
		uint64_t block = at / BLOCK_BYTES, next = (block + 1) * BLOCK_BYTES;
		int r = ARRAY_RESERVE(pages->items, pages->capacity, pages->n + 1);

		if (r < 0)
			return r;
		pages->items[pages->n++] = (struct block_page){
			.device = draft->files[extent->file].device,
			.block = block,
			.order = extent->order,
			.file = extent->file,
			.page = extent->page + (uint32_t)((at - extent->physical) / page_size),
		};
		/* A page that the end of a block cuts belongs to both. */
		at += (next - at + page_size - 1) / page_size * page_size;
	}
	return 0;
}

static int compare_pages(const void *a, const void *b)
{
	const struct block_page *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static int add_touch(struct plan_draft *draft, const struct block_page *page)
{
	int r = ARRAY_RESERVE(draft->extents, draft->extents_capacity, draft->n_extents + 1);

	if (r < 0)
		return r;
	draft->extents[draft->n_extents++] = (struct draft_extent){
		.file = page->file,
		.page = page->page,
		.pages = 1,
		.order = page->order,
		.runs = 1,
		.physical = DRAFT_NOWHERE,
		.touch = true,
	};
	return 0;
}

int draft_touch_blocks(struct plan_draft *draft)
{
	_cleanup_(block_pages_release) struct block_pages pages = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < draft->n_extents; i++)
		if (draft_file_device(draft, draft->extents[i].file)->class == DEVICE_LAZY &&
			draft->extents[i].physical != DRAFT_NOWHERE)
			r = add_blocks(draft, &draft->extents[i], &pages);
	if (pages.n > 0)
		qsort(pages.items, pages.n, sizeof(*pages.items), compare_pages);
	for (size_t i = 0; r == 0 && i < pages.n; i++)
		if (i == 0 || pages.items[i].device != pages.items[i - 1].device ||
			pages.items[i].block != pages.items[i - 1].block)
			r = add_touch(draft, &pages.items[i]);
	return r;
}
