/* SPDX-License-Identifier: MIT */
/*
 * Which pages are mapped from the hot region.
 *
 * The pages of a segment are intervals, hot and cold in turn, and each interval becomes a PT_LOAD. Turning
 * one over joins it with its neighbours: two PT_LOADs fewer, or one at either end of a segment. A cold
 * interval turned hot is copied for nothing; a hot one turned cold is read from where it always was, with a
 * read of its own. So the cheapest is turned over for as long as there are too many PT_LOADs, or a PT_LOAD
 * costs more than that. Each interval is turned over once at most: n log n.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "relaid/cost.h"
#include "relayout/passes/pass.h"

#define NONE SIZE_MAX

struct interval {
	struct relayout_segment *segment;
	size_t first, n_pages;
	size_t touched;       /* pages of it that a start reads */
	size_t before, after; /* its neighbours in the segment, or NONE */
	bool hot;
	bool stuck;       /* what cannot be turned over: changed pages, the file's first page */
	bool gone;        /* joined with another */
	unsigned version; /* counts changes: an older entry of the queue is void */
};

/* What turning an interval over costs for each PT_LOAD that it saves. */
struct turn {
	uint64_t cost;
	size_t interval;
	unsigned version;
};

struct hot_chooser {
	const struct relayout_image *image;
	struct interval *intervals;
	size_t n_intervals, intervals_capacity;
	struct turn *queue; /* a binary heap, the cheapest first */
	size_t n_queue, queue_capacity;
	size_t n_segments; /* PT_LOADs if it ended now, the tables' among them */
};

static void chooser_release(struct hot_chooser *chooser)
{
	free(chooser->intervals);
	free(chooser->queue);
}

/* Sifts the last entry up. */
static int queue_push(struct hot_chooser *chooser, struct turn turn)
{
	size_t at = chooser->n_queue;

	if (ARRAY_RESERVE(chooser->queue, chooser->queue_capacity, chooser->n_queue + 1) < 0)
		return -ENOMEM;
	chooser->n_queue++;
	while (at > 0 && chooser->queue[(at - 1) / 2].cost > turn.cost) {
		chooser->queue[at] = chooser->queue[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	chooser->queue[at] = turn;
	return 0;
}

/* Takes the first and sifts the last down in its place. */
static struct turn queue_pop(struct hot_chooser *chooser)
{
	struct turn *queue = chooser->queue, top = queue[0], last = queue[--chooser->n_queue];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < chooser->n_queue) {
		if (child + 1 < chooser->n_queue && queue[child + 1].cost < queue[child].cost)
			child++;
		if (queue[child].cost >= last.cost)
			break;
		queue[at] = queue[child];
		at = child;
	}
	queue[at] = last;
	return top;
}

static size_t turn_saves(const struct interval *interval)
{
	return (interval->before != NONE) + (interval->after != NONE);
}

static int offer(struct hot_chooser *chooser, size_t index)
{
	const struct interval *interval = &chooser->intervals[index];
	uint64_t pages_of_4096 = chooser->image->granule / 4096;
	uint64_t ends = interval->segment->load.p_flags & PF_X ? turn_saves(interval) * COST_CODE_END_NS : 0;
	uint64_t cost;

	if (interval->stuck || turn_saves(interval) == 0)
		return 0;
	if (interval->hot) /* of two, rather the smaller: read-ahead there brings what nobody wants */
		cost = COST_READ_NS + interval->touched * pages_of_4096 * COST_PAGE_NS;
	else
		cost = (interval->n_pages - interval->touched) * pages_of_4096 * COST_PAGE_NS;
	cost = cost > ends ? cost - ends : 0;
	return queue_push(chooser, (struct turn){cost / turn_saves(interval), index, interval->version});
}

static int add_intervals(struct hot_chooser *chooser, struct relayout_segment *segment)
{
	size_t previous = NONE;

	for (size_t page = 0; page < segment->n_pages;) {
		struct interval *interval;
		bool hot = relayout_page_is_hot(&segment->pages[page]);

		if (ARRAY_RESERVE(chooser->intervals, chooser->intervals_capacity, chooser->n_intervals + 1) <
			0)
			return -ENOMEM;
		interval = &chooser->intervals[chooser->n_intervals];
		*interval = (struct interval){
			.segment = segment, .first = page, .before = previous, .after = NONE, .hot = hot};
		for (; page < segment->n_pages && relayout_page_is_hot(&segment->pages[page]) == hot;
			page++) {
			interval->n_pages++;
			interval->touched += segment->pages[page].order != RELAYOUT_COLD;
			interval->stuck |= segment->pages[page].pinned || segment->pages[page].bytes;
		}
		if (previous != NONE)
			chooser->intervals[previous].after = chooser->n_intervals;
		previous = chooser->n_intervals++;
		chooser->n_segments++;
	}
	return 0;
}

static int chooser_init(struct hot_chooser *chooser)
{
	const struct relayout_image *image = chooser->image;
	int r = 0;

	chooser->n_segments = 1;
	for (size_t i = 0; i < image->n_segments && r == 0; i++) {
		if (image->segments[i].n_pages == 0)
			chooser->n_segments++;
		r = add_intervals(chooser, &image->segments[i]);
	}
	for (size_t i = 0; i < chooser->n_intervals && r == 0; i++)
		r = offer(chooser, i);
	return r;
}

static void absorb(struct hot_chooser *chooser, size_t index, size_t neighbour)
{
	struct interval *into = &chooser->intervals[index], *from;

	if (neighbour == NONE)
		return;
	from = &chooser->intervals[neighbour];
	if (from->first < into->first) {
		into->first = from->first;
		into->before = from->before;
		if (into->before != NONE)
			chooser->intervals[into->before].after = index;
	} else {
		into->after = from->after;
		if (into->after != NONE)
			chooser->intervals[into->after].before = index;
	}
	into->n_pages += from->n_pages;
	into->touched += from->touched;
	into->stuck |= from->stuck;
	from->gone = true;
	chooser->n_segments--;
}

static int turn_over(struct hot_chooser *chooser, size_t index)
{
	struct interval *interval = &chooser->intervals[index];
	size_t around[3];
	int r = 0;

	interval->hot = !interval->hot;
	absorb(chooser, index, interval->before);
	absorb(chooser, index, interval->after);
	around[0] = index;
	around[1] = interval->before;
	around[2] = interval->after;
	for (int i = 0; i < 3 && r == 0; i++) {
		if (around[i] == NONE)
			continue;
		chooser->intervals[around[i]].version++;
		r = offer(chooser, around[i]);
	}
	return r;
}

static int choose(struct hot_chooser *chooser, size_t cap)
{
	int r = 0;

	while (r == 0 && chooser->n_queue > 0) {
		struct turn turn = queue_pop(chooser);
		const struct interval *interval = &chooser->intervals[turn.interval];

		if (interval->gone || interval->version != turn.version)
			continue;
		if (chooser->n_segments <= cap && turn.cost > COST_SEGMENT_NS)
			break;
		r = turn_over(chooser, turn.interval);
	}
	return r;
}

/* Gives the pages the state of their intervals. Returns how many hot runs there are. */
static uint64_t apply(const struct hot_chooser *chooser)
{
	uint64_t runs = 0;

	for (size_t i = 0; i < chooser->n_intervals; i++) {
		const struct interval *interval = &chooser->intervals[i];

		if (interval->gone)
			continue;
		runs += interval->hot;
		for (size_t page = interval->first; page < interval->first + interval->n_pages; page++) {
			struct relayout_page *at = &interval->segment->pages[page];

			at->left = !interval->hot;
			if (interval->hot && at->order == RELAYOUT_COLD)
				at->order = RELAYOUT_LAST;
		}
	}
	return runs;
}

static size_t cap_of(const struct relayout_image *image, const struct pass_options *options)
{
	size_t cap = options->max_segments ? options->max_segments : COST_MAX_SEGMENTS;
	size_t others = image->view->n_phdrs - image->view->n_loads + 1; /* the note is one more */

	if (image->executable && cap + others > COST_MAX_EXECUTABLE_PHDRS)
		cap = others < COST_MAX_EXECUTABLE_PHDRS ? COST_MAX_EXECUTABLE_PHDRS - others : 0;
	return cap;
}

int pass_hot(struct relayout_image *image, const struct pass_options *options, struct pass_outcome *ret)
{
	_cleanup_(chooser_release) struct hot_chooser chooser = {.image = image};
	uint64_t before = 0, after;
	int r = chooser_init(&chooser);

	for (size_t i = 0; i < chooser.n_intervals; i++)
		before += chooser.intervals[i].hot;
	if (r == 0)
		r = choose(&chooser, cap_of(image, options));
	if (r < 0)
		return r;
	if (chooser.n_segments < cap_of(image, options))
		image->spare_segments = cap_of(image, options) - chooser.n_segments;
	after = apply(&chooser);
	*ret = (struct pass_outcome){.done = after > 0, .before = before, .after = after};
	if (after > 0)
		image->passes |= NOTE_PASS_HOT;
	return 0;
}
