/* SPDX-License-Identifier: MIT */
/*
 * Makes a recording more exact by what later starts touch.
 *
 * A start that headstartd watches shows which pages were asked for, each by itself: those are certain. It also shows
 * windows of 16 pages. Of these the kernel mapped all that were in memory, because one of them was touched. A page that the
 * plan has read ahead is in memory, so such a window does not say whether the start needed it.
 *
 * Therefore the plan leaves out a few of these unsure pages each time. If the start needs one, it asks for it by itself. If
 * it does not, the page is not in memory after the start.
 */
#pragma once

#include "profile/profile.h"

#define REFINE_AROUND                                                                                        \
	16 /* pages before one that is missing that a fault on it brings in, if read_ahead_kb is 128 */
#define REFINE_MISSED 3 /* a page that so many starts in a row did not touch leaves */
#define REFINE_TRIES  5 /* a page that was left out so often, and in memory each time, is taken for needed */

struct refine_start {
	/* What the start touched, by itself or (unsure) perhaps. Of the same program and page size. */
	const struct profile *seen;
	/* Before we looked, the start had touched what has a lower order in `seen`; some of it we did not see. */
	uint32_t found;
	/* For each page that is left out, in the order of files and ranges: 1 if it was not in memory when the start was over. */
	const uint8_t *absent;
	/* Whether touches of that file could be in `seen` at all. */
	bool (*judged)(void *context, const char *path);
	void *context;
};

struct refine_result {
	uint64_t joined, confirmed, left; /* pages that are new; that are certain now; that were dropped */
	uint64_t unsure;                  /* that remain so */
};

/* How many pages of all files are left out of the plan, and how many are unsure. */
uint64_t profile_count_out(const struct profile *profile);
uint64_t profile_count_unsure(const struct profile *profile);

/*
 * The recording without what serves only to refine it. The plan stays the same as long as this does. *ret_data, malloc()ed,
 * is the caller's. Returns 0 or negative errno.
 */
int profile_serialize_planned(const struct profile *profile, void **ret_data, size_t *ret_size);

/* All pages are certain, and none is left out. */
void profile_clear_doubts(struct profile *profile);

/*
 * Learns from a start; what that executed is left out. Returns 0, -ENODATA if nothing can be learnt from it, or negative
 * errno. On failure `into` is as it was. Nothing is learnt if
 *
 * - it was another kind of start: it touched less than half of what is known, or half as much besides;
 * - `into` would be too far from the first recording, however many starts have led there: a quarter of its pages gone (half
 *   of a learnt one), or as many and 256 pages added. Pages of updated files do not count. An update of a file that has a
 *   build-id begins this count anew.
 */
int profile_refine(struct profile *into, const struct refine_start *start, struct refine_result *ret);

/*
 * Chooses anew which unsure pages are left out of the plan. Returns how many, or negative errno with `profile` as it was.
 *
 * They lie more than `around` pages apart, which is what the kernel reads on one side of a missing page, so that it does not bring
 * one in with another; with 0 none is left out. Those farthest from certain pages come first, because they are the least likely to be
 * needed, and only a needed page costs the start a read. `seed` is a random number.
 */
ssize_t profile_choose_out(struct profile *profile, uint32_t around, uint64_t seed);
