/* SPDX-License-Identifier: MIT */
#include "report/pictures/strokes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

bool stroke_next(const struct timeline *timeline, uint64_t finest, size_t *at, struct stroke *ret)
{
	struct stroke stroke = {0};

	for (; *at < timeline->n_spans; ++*at) {
		const struct timeline_span *span = &timeline->spans[*at], *next = span + 1;
		uint64_t lasts = span->end - span->begin;
		bool last = *at + 1 == timeline->n_spans || next->thread != span->thread;

		if (stroke.end == 0)
			stroke = (struct stroke){.begin = span->begin, .longest = lasts, .span = *at};
		if (lasts > stroke.longest) {
			stroke.longest = lasts;
			stroke.span = *at;
		}
		stroke.end = span->end;
		/* A short one goes with what was before it, not with the long one that comes next. */
		if (last || stroke.end - stroke.begin >= finest) {
			++*at;
			*ret = stroke;
			return true;
		}
	}
	return false;
}

uint64_t strokes_finest(const struct timeline *timeline, uint64_t finest, size_t most)
{
	for (;; finest *= 2) {
		struct stroke stroke;
		size_t n = 0;

		for (size_t at = 0; stroke_next(timeline, finest, &at, &stroke);)
			n++;
		/* Half the start is coarse enough, however many threads there are. */
		if (n <= most + timeline->n_threads || finest > timeline->duration / 2)
			return finest;
	}
}

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

int strokes_shortest_read(const struct timeline *timeline, size_t most, uint64_t *ret)
{
	_cleanup_free_ uint64_t *times = NULL;

	*ret = 0;
	if (timeline->n_reads <= most)
		return 0;
	times = calloc(timeline->n_reads, sizeof(*times));
	if (!times)
		return -ENOMEM;
	for (size_t i = 0; i < timeline->n_reads; i++)
		times[i] = timeline->reads[i].end - timeline->reads[i].begin;
	qsort(times, timeline->n_reads, sizeof(*times), compare_times);
	*ret = times[most - 1];
	return 0;
}
