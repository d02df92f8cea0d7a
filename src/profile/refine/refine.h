/* SPDX-License-Identifier: MIT */
/*
 * Makes a recording more exact by what later starts touch.
 *
 * A start that headstartd watches shows which pages were asked for, each by itself: those are certain. It also shows
 * windows of 16 pages. Of these the kernel mapped all that were in memory, because one of them was touched. A page that the
 * plan has read ahead is in memory, so such a window does not say whether the start needed it: it is unsure. A page that lay
 * in no window was not touched.
 */
#pragma once

#include "profile/profile.h"

#define REFINE_MISSED 3 /* a page that so many starts in a row did not touch leaves */

struct refine_start {
	/* What the start touched, by itself or (unsure) perhaps. Of the same program and page size. */
	const struct profile *seen;
	/* Before we looked, the start had touched what has a lower order in `seen`; some of it we did not see. */
	uint32_t found;
	/* Whether touches of that file could be in `seen` at all. */
	bool (*judged)(void *context, const char *path);
	void *context;
};

struct refine_result {
	uint64_t joined, confirmed, left; /* pages that are new; that are certain now; that were dropped */
};

/*
 * The recording without what serves only to refine it. The plan stays the same as long as this does. *ret_data, malloc()ed,
 * is the caller's. Returns 0 or negative errno.
 */
int profile_serialize_planned(const struct profile *profile, void **ret_data, size_t *ret_size);

/* All pages are certain. */
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
