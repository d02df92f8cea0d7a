/* SPDX-License-Identifier: MIT */
/*
 * Which parts of memory are hot, where each change between hot and cold costs a PT_LOAD.
 *
 * What lies together in memory are intervals, hot and cold in turn, and each interval becomes a PT_LOAD.
 * Turning one over joins it with its neighbours: two PT_LOADs fewer, or one where it has one neighbour. The
 * cheapest is turned over for as long as there are too many PT_LOADs, or a PT_LOAD costs more than that. Each
 * interval is turned over once at most: n log n.
 */
#pragma once

#include "relayout/passes/image.h"

struct turns_interval {
	size_t segment;  /* of the image */
	size_t first, n; /* of what the caller adds: pages of the segment, or blocks of pages */
	size_t pages;    /* of it, of the image's granule */
	size_t touched;  /* pages of it that a start reads */
	size_t reads;    /* stretches of these */
	uint32_t order;  /* of the first touch, or RELAYOUT_COLD */
	bool hot;
	bool stuck; /* cannot be turned over */

	/* Not the caller's. */
	size_t before, after; /* its neighbours */
	bool gone;            /* joined with another */
	unsigned version;     /* counts changes: an older entry of the queue is void */
};

struct turn;

struct turns {
	const struct relayout_image *image; /* borrowed */

	/* What turning the interval over costs (relaid/cost.h), but for the PT_LOADs that it saves, of which
	 * `saves` says how many. */
	uint64_t (*cost)(const struct turns *turns, const struct turns_interval *interval, size_t saves);
	struct turns_interval *all; /* owned; ascending by address */
	size_t n, capacity;
	struct turn *queue; /* owned; a binary heap, the cheapest first */
	size_t n_queue, queue_capacity;
	size_t n_loads; /* PT_LOADs if it ended now, but for those of turns_other_loads() */
};

void turns_release(struct turns *turns);

/* PT_LOADs that no interval becomes: of the tables, and of segments without content in the file. */
size_t turns_other_loads(const struct relayout_image *image);

/*
 * Adds what is next by address. Where it follows in memory what was added last, and could lie in one PT_LOAD
 * with it, the two are neighbours, and one interval if they are alike. Returns 0 or -ENOMEM.
 */
int turns_add(struct turns *turns, struct turns_interval interval, bool follows);

/*
 * Turns over what is cheap, and what it takes to have at most `cap` PT_LOADs, as far as what is stuck allows.
 * What was joined is one interval then. Returns 0 or -ENOMEM.
 */
int turns_choose(struct turns *turns, size_t cap);
