/* SPDX-License-Identifier: MIT */
/*
 * Joins neighbouring extents of a file where one read is cheaper than two (time/cost.c).
 *
 * In physical order a joined extent is one pass of the head: any length is good, but the pages of the gap must lie between
 * the two on the disk. Where they lie elsewhere, as they may after `headstart place`, to read them would be a way there and
 * back.
 *
 * In touch order a joined extent takes the place of its earliest part, so the rest of it delays the pages that are touched
 * in between. This makes no difference for as many pages as arrive during one request's latency.
 */
#include <stdlib.h>

#include "plan/build/draft.h"
#include "plan/build/time/cost.h"

static int compare_pages(const void *a, const void *b)
{
	const struct draft_extent *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->page > y->page) - (x->page < y->page);
}

/* Whether a, b and what is between them in the file are one run on the disk, or both places are unknown. */
static bool follows_on_disk(const struct draft_extent *a, const struct draft_extent *b)
{
	if (a->physical == DRAFT_NOWHERE || b->physical == DRAFT_NOWHERE)
		return a->physical == b->physical;
	return b->page < a->run_end;
}

/* Whether to read a, b and the gap between them at once. room: pages of gap that the budget still allows. */
static bool worth_joining(const struct plan_draft *draft, const struct draft_extent *a,
	const struct draft_extent *b, uint64_t room)
{
	const struct device *device = draft_file_device(draft, a->file);
	struct plan_cost cost = plan_cost_of(device);
	uint32_t page_size = draft->profile->page_size;
	uint32_t gap;

	if (a->file != b->file)
		return false;
	gap = b->page - (a->page + a->pages);
	if (gap > room || gap > plan_cost_gap_pages(&cost, page_size))
		return false;
	if (device->class == DEVICE_ROTATIONAL)
		return follows_on_disk(a, b);
	if (device->class == DEVICE_LAZY && !follows_on_disk(a, b))
		return false;
	return b->page + b->pages - a->page <= plan_cost_chunk_pages(&cost, page_size);
}

static uint64_t room_for_gaps(const struct plan_draft *draft, uint64_t budget)
{
	uint64_t room = budget ? budget / draft->profile->page_size : UINT64_MAX;

	for (size_t i = 0; i < draft->n_extents; i++)
		room -= draft->extents[i].pages;
	return room;
}

void draft_merge(struct plan_draft *draft, uint64_t budget)
{
	uint64_t room = room_for_gaps(draft, budget);
	size_t last = 0;

	if (draft->n_extents == 0)
		return;
	qsort(draft->extents, draft->n_extents, sizeof(*draft->extents), compare_pages);
	for (size_t i = 1; i < draft->n_extents; i++) {
		struct draft_extent *a = &draft->extents[last], b = draft->extents[i];
		uint32_t gap;

		if (!worth_joining(draft, a, &b, room)) {
			draft->extents[++last] = b;
			continue;
		}
		gap = b.page - (a->page + a->pages);
		a->pages += gap + b.pages;
		a->gap += gap;
		a->order = b.order < a->order ? b.order : a->order;
		a->run_end = b.run_end;
		room -= gap;
	}
	draft->n_extents = last + 1;
}
