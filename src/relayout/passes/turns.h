/* SPDX-License-Identifier: MIT */
/*
 * Chooses which parts of memory are hot, where each change between hot and cold costs a PT_LOAD.
 *
 * Contiguous memory consists of intervals, hot and cold in turn, and each interval becomes a PT_LOAD. Turning one over
 * joins it with its neighbours: that saves two PT_LOADs, or one if it has one neighbour. As long as there are too many
 * PT_LOADs, or a PT_LOAD costs more than the cheapest turn, that turn is made. Each interval is turned over at most
 * once, so this takes n log n.
 */
#pragma once

#include "relayout/passes/image.h"

struct turns_interval {
	size_t segment;  /* of the image */
	size_t first, n; /* of what the caller counts: pages of the segment, or blocks of pages */
	size_t pages;    /* of it, of the image's granule */
	size_t touched;  /* pages of it that a start reads */
	size_t reads;    /* contiguous runs of these */
	uint32_t order;  /* of the first touch, or RELAYOUT_COLD */
	bool hot;
	bool stuck; /* cannot be turned over */

	/* Private. */
	size_t before, after; /* its neighbours */
	bool gone;            /* joined with another */
	unsigned version;     /* counts changes: queue entries with an older number are void */
};

struct turn;

struct turns {
	const struct relayout_image *image; /* borrowed */

	/* The cost of turning the interval over (relaid/cost.h), without the gain of the `saves` PT_LOADs that it
	 * saves. */
	uint64_t (*cost)(const struct turns *turns, const struct turns_interval *interval, size_t saves);
	uint64_t read_ns;           /* for cost(): what it takes a read for, COST_READ_NS or less */
	struct turns_interval *all; /* owned; ascending by address */
	size_t n, capacity;
	struct turn *queue; /* owned; a binary heap, the cheapest first */
	size_t n_queue, queue_capacity;
	size_t n_loads; /* PT_LOADs if it ended now, without those of turns_other_loads() */
};

void turns_release(struct turns *turns);

/* PT_LOADs that are no interval: that of the tables, and those of segments without file content. */
size_t turns_other_loads(const struct relayout_image *image);

/*
 * Adds the next interval by address. `follows` says that it comes right after the last one in memory, and could lie in
 * one PT_LOAD with it: then the two are neighbours, and become one interval if they are alike. Returns 0 or -ENOMEM.
 */
int turns_add(struct turns *turns, struct turns_interval interval, bool follows);

/*
 * Turns over intervals that are cheap, and as many as needed for at most `cap` PT_LOADs, as far as stuck intervals
 * allow. Joined intervals are one interval afterwards. Returns 0 or -ENOMEM.
 */
int turns_choose(struct turns *turns, size_t cap);
