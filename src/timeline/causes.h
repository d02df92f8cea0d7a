/* SPDX-License-Identifier: MIT */
/*
 * Where the time of a start went. Each moment has one cause, so the causes add up to the time:
 *
 *     some thread runs                       TIMELINE_RUNNING
 *     none runs, but one wants to            TIMELINE_RUNNABLE
 *     none of these, and one waits for data  TIMELINE_READ, of the thread that has waited longest
 *     otherwise                              what the thread waits for that goes on first: the others wait for more
 */
#pragma once

#include "timeline/timeline.h"

struct timeline_causes {
	uint64_t total; /* nanoseconds: all of the following together */
	uint64_t states[TIMELINE_STATES];
	uint64_t nobody;   /* no thread lived */
	uint64_t *by_span; /* owned; how much of the total each span of the timeline caused */
};

/*
 * The causes of the whole start. The timeline is good (timeline_check()). The caller releases *ret. Returns 0 or -ENOMEM.
 */
int timeline_causes_find(const struct timeline *timeline, struct timeline_causes *ret);

/*
 * The causes of the time from the begin of a process to its end. Its threads are ascending, and spans[i] is the first
 * span of thread i; spans[n_threads] is the number of all. Takes time by the spans of these threads alone, and leaves
 * by_span NULL.
 */
int timeline_causes_find_process(const struct timeline *timeline, const uint32_t *threads, size_t n_threads,
	const size_t *spans, struct timeline_causes *ret);

/* What a thread did for some time: spans that follow each other. */
struct timeline_stay {
	size_t first, n; /* spans */
};

/* From `begin` to `end` this span was the cause; SIZE_MAX: no stay lasted then. Returns 0, or negative errno to end it. */
typedef int timeline_piece(void *context, uint64_t begin, uint64_t end, size_t span);

/* Tells the causes one after the other, from the begin of the first stay to the end of the last. Returns 0 or negative errno. */
int timeline_causes_each(const struct timeline *timeline, const struct timeline_stay *stays, size_t n,
	timeline_piece *piece, void *context);
void timeline_causes_release(struct timeline_causes *causes);

/* "read", "runnable": for programs. */
const char *timeline_state_name(enum timeline_state state);

/* Whether a wait went on until its time was up: nobody answered. */
bool timeline_span_timed_out(const struct timeline_span *span);
