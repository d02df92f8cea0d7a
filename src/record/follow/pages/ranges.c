/* SPDX-License-Identifier: MIT */
#include "record/follow/pages/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void ranges_release(struct ranges *ranges)
{
	free(ranges->items);
	*ranges = (struct ranges){0};
}

/* The first range that ends behind the address, and the first that begins behind it. */
static size_t ends_behind(const struct ranges *ranges, uint64_t address)
{
	return ARRAY_BISECT(i, ranges->n, ranges->items[i].end <= address);
}

static size_t begins_behind(const struct ranges *ranges, uint64_t address)
{
	return ARRAY_BISECT(i, ranges->n, ranges->items[i].start <= address);
}

/* Puts n ranges in the place of those from `from` on and before `to`. */
static int replace(struct ranges *ranges, size_t from, size_t to, const struct range *with, size_t n)
{
	size_t behind = ranges->n - to;
	int r = ARRAY_RESERVE(ranges->items, ranges->capacity, from + n + behind);

	if (r < 0)
		return r;
	memmove(ranges->items + from + n, ranges->items + to, behind * sizeof(*with));
	memcpy(ranges->items + from, with, n * sizeof(*with));
	ranges->n = from + n + behind;
	return 0;
}

int ranges_add(struct ranges *ranges, uint64_t start, uint64_t end)
{
	size_t from = start > 0 ? ends_behind(ranges, start - 1) : 0, to = begins_behind(ranges, end);
	struct range all = {start, end};

	if (from < to && ranges->items[from].start < start)
		all.start = ranges->items[from].start;
	if (from < to && ranges->items[to - 1].end > end)
		all.end = ranges->items[to - 1].end;
	return replace(ranges, from, to, &all, 1);
}

int ranges_remove(struct ranges *ranges, uint64_t start, uint64_t end)
{
	size_t from = ends_behind(ranges, start), to = begins_behind(ranges, end - 1), n = 0;
	struct range rest[2];

	if (from >= to)
		return 0;
	if (ranges->items[from].start < start)
		rest[n++] = (struct range){ranges->items[from].start, start};
	if (ranges->items[to - 1].end > end)
		rest[n++] = (struct range){end, ranges->items[to - 1].end};
	return replace(ranges, from, to, rest, n);
}

bool ranges_cover(const struct ranges *ranges, uint64_t start, uint64_t end)
{
	size_t i = ends_behind(ranges, start);

	return i < ranges->n && ranges->items[i].start <= start && ranges->items[i].end >= end;
}

bool ranges_meet(const struct ranges *ranges, uint64_t start, uint64_t end)
{
	return ends_behind(ranges, start) < begins_behind(ranges, end - 1);
}
