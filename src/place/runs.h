/* SPDX-License-Identifier: MIT */
/* Runs of pages of one file: sorted lists, and what is done with them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "device/device.h"

struct place_run {
	uint32_t page, pages; /* first page; > 0 */
};

struct place_runs {
	struct place_run *items; /* owned */
	size_t n, capacity;
};

void place_runs_release(struct place_runs *runs);

static inline void place_runs_releasep(struct place_runs *runs)
{
	place_runs_release(runs);
}

/* Appends a run; one of no pages is ignored. Returns 0, -EOVERFLOW if it ends beyond 2^32 pages, or -ENOMEM. */
int place_runs_add(struct place_runs *runs, uint64_t page, uint64_t pages);

/* Sorts the runs by page, and joins those that overlap or have at most `gap` pages between them. */
void place_runs_join(struct place_runs *runs, uint32_t gap);

/* For sorted runs: how many pages they have. */
uint64_t place_runs_pages(const struct place_runs *runs);

/* For sorted runs: adds to `ret` the parts of them that are not in `other`. Returns as place_runs_add(). */
int place_runs_without(const struct place_runs *runs, const struct place_runs *other, struct place_runs *ret);

/*
 * For sorted runs: adds to `ret` the parts of them of which these extents of the file, which are ascending by offset,
 * have whole pages. A run that two extents share is cut. Returns as place_runs_add().
 */
int place_runs_within(const struct place_runs *runs, const struct device_extent *extents, size_t n_extents,
	uint32_t page_size, struct place_runs *ret);
