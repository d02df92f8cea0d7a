/* SPDX-License-Identifier: MIT */
/* Sorted lists of runs of pages. */
#include "place/runs.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

void place_runs_release(struct place_runs *runs)
{
	free(runs->items);
	*runs = (struct place_runs){0};
}

int place_runs_add(struct place_runs *runs, uint64_t page, uint64_t pages)
{
	int r;

	if (pages == 0)
		return 0;
	if (page > UINT32_MAX || pages > UINT32_MAX - page)
		return -EOVERFLOW;
	r = ARRAY_RESERVE(runs->items, runs->capacity, runs->n + 1);
	if (r < 0)
		return r;
	runs->items[runs->n++] = (struct place_run){(uint32_t)page, (uint32_t)pages};
	return 0;
}

static int by_page(const void *a, const void *b)
{
	const struct place_run *x = a, *y = b;

	return (x->page > y->page) - (x->page < y->page);
}

static uint64_t end_of(const struct place_run *run)
{
	return (uint64_t)run->page + run->pages;
}

void place_runs_join(struct place_runs *runs, uint32_t gap)
{
	size_t kept = 0;

	if (runs->n == 0)
		return;
	qsort(runs->items, runs->n, sizeof(*runs->items), by_page);
	for (size_t i = 1; i < runs->n; i++) {
		struct place_run *last = &runs->items[kept];
		const struct place_run *next = &runs->items[i];

		if (next->page > end_of(last) + gap)
			runs->items[++kept] = *next;
		else if (end_of(next) > end_of(last))
			last->pages = (uint32_t)(end_of(next) - last->page);
	}
	runs->n = kept + 1;
}

uint64_t place_runs_pages(const struct place_runs *runs)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < runs->n; i++)
		pages += runs->items[i].pages;
	return pages;
}

int place_runs_without(const struct place_runs *runs, const struct place_runs *other, struct place_runs *ret)
{
	size_t first = 0;

	for (size_t i = 0; i < runs->n; i++) {
		uint64_t page = runs->items[i].page, end = end_of(&runs->items[i]);
		int r = 0;

		while (first < other->n && end_of(&other->items[first]) <= page)
			first++;
		for (size_t j = first; j < other->n && other->items[j].page < end && r == 0; j++) {
			if (other->items[j].page > page)
				r = place_runs_add(ret, page, other->items[j].page - page);
			if (end_of(&other->items[j]) > page)
				page = end_of(&other->items[j]);
		}
		if (r == 0 && page < end)
			r = place_runs_add(ret, page, end - page);
		if (r < 0)
			return r;
	}
	return 0;
}

int place_runs_within(const struct place_runs *runs, const struct device_extent *extents, size_t n_extents,
	uint32_t page_size, struct place_runs *ret)
{
	size_t extent = 0;

	for (size_t i = 0; i < runs->n; i++) {
		uint64_t page = runs->items[i].page, end = end_of(&runs->items[i]);

		while (extent < n_extents &&
			(extents[extent].offset + extents[extent].length) / page_size <= page)
			extent++;
		for (size_t j = extent; j < n_extents && extents[j].offset / page_size < end; j++) {
			uint64_t from = extents[j].offset / page_size + (extents[j].offset % page_size != 0);
			uint64_t to = (extents[j].offset + extents[j].length) / page_size;
			int r;

			from = from > page ? from : page;
			to = to < end ? to : end;
			r = from < to ? place_runs_add(ret, from, to - from) : 0;
			if (r < 0)
				return r;
		}
	}
	return 0;
}
