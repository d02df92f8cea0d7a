/* SPDX-License-Identifier: MIT */
/* Runs of spans of one thread that are drawn as one, in the state that most of it has. */
#pragma once

#include <stdbool.h>

#include "timeline/timeline.h"

struct stroke {
	uint64_t begin, end;
	uint64_t longest; /* of the span that gives it its state */
	size_t span;      /* that one */
};

/*
 * The next stroke, from the span *at on, which moves on; spans that are shorter than `finest` are joined with others. Returns
 * false at the end.
 */
bool stroke_next(const struct timeline *timeline, uint64_t finest, size_t *at, struct stroke *ret);

/* How fine strokes may be so that there are no more than `most`, and one, or of more threads two, for each thread. */
uint64_t strokes_finest(const struct timeline *timeline, uint64_t finest, size_t most);

/* What the shortest read must last so that no more than `most` are drawn. Returns 0 or -ENOMEM. */
int strokes_shortest_read(const struct timeline *timeline, size_t most, uint64_t *ret);
