/* SPDX-License-Identifier: MIT */
/* Turns touched pages of a file into addresses, through its segments. */
#include "order/touched.h"

#include <stdlib.h>

#include "base/array.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int add_span(struct order_touched *touched, struct order_span span)
{
	int r = ARRAY_RESERVE(touched->spans, touched->capacity, touched->n + 1);

	if (r < 0)
		return r;
	touched->spans[touched->n++] = span;
	return 0;
}

/* Adds one span for each page of the range that lies in the segment. */
static int add_range(struct order_touched *touched, const struct profile_range *range,
	const struct order_segment *segment, uint64_t page_size)
{
	uint64_t first = larger(range->page, segment->offset / page_size);
	uint64_t end = smaller(
		(uint64_t)range->page + range->pages, (segment->offset + segment->size - 1) / page_size + 1);
	int r = 0;

	for (uint64_t page = first; page < end && r == 0; page++) {
		uint64_t from = larger(page * page_size, segment->offset);
		uint64_t to = smaller((page + 1) * page_size, segment->offset + segment->size);

		r = add_span(touched,
			(struct order_span){
				.address = segment->address + (from - segment->offset),
				.size = to - from,
				.page = page,
				.order = range->order + (uint32_t)(page - range->page),
			});
	}
	return r;
}

static int compare_spans(const void *a, const void *b)
{
	const struct order_span *left = a, *right = b;

	return (left->address > right->address) - (left->address < right->address);
}

int order_touched_pages(struct order_touched *touched, const struct profile_file *file, uint32_t page_size,
	const struct order_image *image)
{
	touched->page_size = page_size;
	for (size_t s = 0; s < image->n_segments; s++) {
		const struct order_segment *segment = &image->segments[s];
		uint64_t last = (segment->offset + segment->size - 1) / page_size;

		for (size_t i = profile_file_range_after(file, segment->offset / page_size);
			i < file->n_ranges && file->ranges[i].page <= last; i++) {
			int r = add_range(touched, &file->ranges[i], segment, page_size);

			if (r < 0)
				return r;
		}
	}
	if (touched->n > 0)
		qsort(touched->spans, touched->n, sizeof(*touched->spans), compare_spans);
	return 0;
}

int order_touched_calls(struct order_touched *touched, const struct profile_object *object,
	uint32_t page_size, const struct order_image *image)
{
	touched->page_size = page_size;
	for (size_t i = 0; i < object->n_calls; i++)
		for (size_t s = 0; s < image->n_segments; s++) {
			const struct order_segment *segment = &image->segments[s];
			uint64_t address = object->calls[i].address, into = address - segment->address;
			int r;

			if (address < segment->address || into >= segment->size)
				continue;
			r = add_span(touched,
				(struct order_span){
					.address = address,
					.size = 1,
					.page = (segment->offset + into) / page_size,
					.order = object->calls[i].order,
				});
			if (r < 0)
				return r;
		}
	if (touched->n > 0)
		qsort(touched->spans, touched->n, sizeof(*touched->spans), compare_spans);
	return 0;
}

void order_touched_release(struct order_touched *touched)
{
	free(touched->spans);
	*touched = (struct order_touched){0};
}
