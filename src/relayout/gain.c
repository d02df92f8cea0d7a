/* SPDX-License-Identifier: MIT */
#include "relayout/gain.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "relaid/cost.h"

/* Without a plan, the shim reads objects without a note whole, so objects larger than this get a note. */
#define WHOLE_SIZE (4 * COST_READ_AHEAD)

/* Which pages of the original are read, one byte each. */
struct page_map {
	uint8_t *pages;
	uint64_t n;
	uint64_t page_size;
};

static void mark(struct page_map *map, uint64_t offset, uint64_t size, uint8_t value)
{
	uint64_t end = (offset + size + map->page_size - 1) / map->page_size;

	for (uint64_t page = offset / map->page_size; page < end && page < map->n; page++)
		map->pages[page] = value;
}

/* Marks what the start touches although no segment maps it, such as section headers. */
static void mark_unmapped(struct page_map *map, const struct elf_view *view, const struct profile_file *file)
{
	for (size_t i = 0; i < file->n_ranges; i++)
		mark(map, file->ranges[i].page * map->page_size, file->ranges[i].pages * map->page_size, 1);
	for (size_t i = 0; i < view->n_loads; i++)
		mark(map, view->loads[i].p_offset, view->loads[i].p_filesz, 0);
}

static void mark_left(struct page_map *map, const struct relayout_image *image)
{
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct relayout_segment *segment = &image->segments[i];

		for (size_t page = 0; page < segment->n_pages; page++)
			if (segment->pages[page].order != RELAYOUT_COLD &&
				!relayout_page_is_hot(&segment->pages[page]))
				mark(map, segment->offset + page * image->granule, image->granule, 1);
	}
}

/* Counts pages in ascending order, and the reads that fetch them. */
struct counter {
	struct relayout_reads reads;
	uint64_t page_size;
	uint64_t end; /* the page after the last one that the last read fetches */
};

static void add_run(struct counter *counter, uint64_t page, uint64_t pages)
{
	uint64_t step = COST_READ_AHEAD > counter->page_size ? COST_READ_AHEAD / counter->page_size : 1;
	uint64_t from = page > counter->end ? page : counter->end, end = page + pages;

	counter->reads.pages += pages;
	if (from < end) {
		uint64_t more = (end - from + step - 1) / step;

		counter->reads.reads += more;
		counter->end = from + more * step;
	}
}

static struct relayout_reads count(const struct page_map *map)
{
	struct counter counter = {.page_size = map->page_size};

	for (uint64_t page = 0; page < map->n; page++)
		if (map->pages[page])
			add_run(&counter, page, 1);
	return counter.reads;
}

struct relayout_reads gain_before(
	const struct elf_view *current, const struct profile_file *file, uint32_t page_size)
{
	struct counter counter = {.reads.segments = current->n_loads, .page_size = page_size};

	for (size_t i = 0; i < file->n_ranges; i++)
		add_run(&counter, file->ranges[i].page, file->ranges[i].pages);
	counter.reads.bytes = counter.reads.pages * page_size;
	return counter.reads;
}

/* Adds pages that lie together. */
static void add_together(struct relayout_reads *reads, uint64_t bytes, uint64_t page_size)
{
	struct counter counter = {.page_size = page_size};

	add_run(&counter, 0, (bytes + page_size - 1) / page_size);
	reads->pages += counter.reads.pages;
	reads->reads += counter.reads.reads;
}

int gain_after(const struct gain_places *places, const struct elf_view *original,
	const struct profile_file *file, uint32_t page_size, struct relayout_reads *ret)
{
	_cleanup_free_ uint8_t *pages = NULL;
	struct page_map map = {
		.n = original->size / page_size + 1,
		.page_size = page_size,
	};

	pages = map.pages = calloc(map.n, 1);
	if (!pages)
		return -ENOMEM;
	if (file)
		mark_unmapped(&map, original, file);
	if (places->image)
		mark_left(&map, places->image);
	*ret = count(&map);
	add_together(ret, places->together, page_size);
	ret->pages += places->apart / page_size;
	ret->reads += places->n_apart;
	ret->segments = places->segments;
	ret->bytes = ret->pages * page_size;
	return 0;
}

/* What a cold start pays for reading. */
static uint64_t cost_of_reading(const struct relayout_reads *reads)
{
	return reads->reads * COST_READ_NS + reads->bytes / 4096 * COST_PAGE_NS;
}

static uint64_t cost(const struct relayout_reads *reads)
{
	return cost_of_reading(reads) + reads->segments * COST_SEGMENT_NS;
}

bool gain_is_worth(
	const struct relayout_reads *before, const struct relayout_reads *after, uint64_t original_size)
{
	return cost(after) < cost(before) || original_size > WHOLE_SIZE;
}

bool gain_is_loss(const struct relayout_reads *before, const struct relayout_reads *after)
{
	return cost_of_reading(after) > cost_of_reading(before);
}
