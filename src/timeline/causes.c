/* SPDX-License-Identifier: MIT */
/* Goes through the times at which some thread begins to do something else. */
#include "timeline/causes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

#define NOTHING SIZE_MAX /* no span: the thread has not begun, or has ended */

/* A thread begins a span, or ends. */
struct turn {
	uint64_t time;
	size_t place; /* of the thread, among those of the sweep */
	size_t span;
};

struct sweep {
	const struct timeline *timeline;
	struct turn *turns; /* owned; ascending by time */
	size_t n_turns;
	size_t *current; /* owned; the span of each thread of the sweep */
	size_t n_threads;
	size_t living, running, runnable;
};

static void sweep_release(struct sweep *sweep)
{
	free(sweep->turns);
	free(sweep->current);
}

void timeline_causes_release(struct timeline_causes *causes)
{
	free(causes->by_span);
	*causes = (struct timeline_causes){0};
}

static int compare_turns(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->time != y->time)
		return x->time > y->time ? 1 : -1;
	/* Spans of one thread follow each other, and its end comes last. */
	return (x->span > y->span) - (x->span < y->span);
}

static int sweep_init(struct sweep *sweep, const struct timeline *timeline, size_t n_threads, size_t n_spans)
{
	sweep->timeline = timeline;
	sweep->n_threads = n_threads;
	sweep->turns = calloc(n_spans + n_threads + 1, sizeof(*sweep->turns));
	sweep->current = calloc(n_threads + 1, sizeof(*sweep->current));
	if (!sweep->turns || !sweep->current)
		return -ENOMEM;
	for (size_t i = 0; i < n_threads; i++)
		sweep->current[i] = NOTHING;
	return 0;
}

static void add_span(struct sweep *sweep, size_t place, size_t span)
{
	sweep->turns[sweep->n_turns++] =
		(struct turn){.time = sweep->timeline->spans[span].begin, .place = place, .span = span};
}

static void add_end(struct sweep *sweep, size_t place, size_t thread)
{
	sweep->turns[sweep->n_turns++] =
		(struct turn){.time = sweep->timeline->threads[thread].end, .place = place, .span = NOTHING};
}

static void count(struct sweep *sweep, size_t span, size_t by)
{
	enum timeline_state state;

	if (span == NOTHING)
		return;
	state = sweep->timeline->spans[span].state;
	sweep->living += by;
	sweep->running += state == TIMELINE_RUNNING ? by : 0;
	sweep->runnable += state == TIMELINE_RUNNABLE ? by : 0;
}

static void take_turn(struct sweep *sweep, const struct turn *turn)
{
	count(sweep, sweep->current[turn->place], (size_t)-1);
	sweep->current[turn->place] = turn->span;
	count(sweep, turn->span, 1);
}

/* Whether span `a` rather than `b` is the cause while nobody computes. */
static bool is_rather(const struct timeline_span *a, const struct timeline_span *b)
{
	if ((a->state == TIMELINE_READ) != (b->state == TIMELINE_READ))
		return a->state == TIMELINE_READ;
	return a->state == TIMELINE_READ ? a->begin < b->begin : a->end < b->end;
}

/* The span that is the cause now; NOTHING if no thread lives. */
static size_t cause(const struct sweep *sweep)
{
	const struct timeline_span *spans = sweep->timeline->spans;
	size_t best = NOTHING;

	if (sweep->living == 0)
		return NOTHING;
	for (size_t i = 0; i < sweep->n_threads; i++) {
		size_t span = sweep->current[i];

		if (span == NOTHING)
			continue;
		if (sweep->running || sweep->runnable) {
			if (spans[span].state == (sweep->running ? TIMELINE_RUNNING : TIMELINE_RUNNABLE))
				return span;
		} else if (best == NOTHING || is_rather(&spans[span], &spans[best])) {
			best = span;
		}
	}
	return best;
}

/* What lasts until the next turn, or after the last one until `end`. */
static void run(struct sweep *sweep, uint64_t end, struct timeline_causes *causes)
{
	qsort(sweep->turns, sweep->n_turns, sizeof(*sweep->turns), compare_turns);
	for (size_t i = 0; i < sweep->n_turns; i++) {
		uint64_t lasts =
			(i + 1 < sweep->n_turns ? sweep->turns[i + 1].time : end) - sweep->turns[i].time;
		size_t span;

		take_turn(sweep, &sweep->turns[i]);
		if (lasts == 0)
			continue;
		span = cause(sweep);
		if (span == NOTHING) {
			causes->nobody += lasts;
			continue;
		}
		causes->states[sweep->timeline->spans[span].state] += lasts;
		if (causes->by_span)
			causes->by_span[span] += lasts;
	}
	causes->total = causes->nobody;
	for (size_t i = 0; i < TIMELINE_STATES; i++)
		causes->total += causes->states[i];
}

int timeline_causes_find(const struct timeline *timeline, struct timeline_causes *ret)
{
	_cleanup_(sweep_release) struct sweep sweep = {0};
	struct timeline_causes causes = {0};
	uint64_t first = UINT64_MAX;

	if (sweep_init(&sweep, timeline, timeline->n_threads, timeline->n_spans) < 0)
		return -ENOMEM;
	causes.by_span = calloc(timeline->n_spans + 1, sizeof(*causes.by_span));
	if (!causes.by_span)
		return -ENOMEM;
	for (size_t i = 0; i < timeline->n_spans; i++)
		add_span(&sweep, timeline->spans[i].thread, i);
	for (size_t i = 0; i < timeline->n_threads; i++)
		add_end(&sweep, i, i);
	for (size_t i = 0; i < sweep.n_turns; i++)
		first = sweep.turns[i].time < first ? sweep.turns[i].time : first;
	if (sweep.n_turns)
		causes.nobody = first;
	run(&sweep, timeline->duration, &causes);
	*ret = causes;
	return 0;
}

int timeline_causes_find_process(const struct timeline *timeline, const uint32_t *threads, size_t n_threads,
	const size_t *spans, struct timeline_causes *ret)
{
	_cleanup_(sweep_release) struct sweep sweep = {0};
	struct timeline_causes causes = {0};
	uint64_t end = 0;
	size_t n = 0;

	for (size_t i = 0; i < n_threads; i++)
		n += spans[threads[i] + 1] - spans[threads[i]];
	if (sweep_init(&sweep, timeline, n_threads, n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n_threads; i++) {
		const struct timeline_thread *thread = &timeline->threads[threads[i]];

		for (size_t span = spans[threads[i]]; span < spans[threads[i] + 1]; span++)
			add_span(&sweep, i, span);
		add_end(&sweep, i, threads[i]);
		end = thread->end > end ? thread->end : end;
	}
	run(&sweep, end, &causes);
	*ret = causes;
	return 0;
}

const char *timeline_state_name(enum timeline_state state)
{
	static const char *const names[TIMELINE_STATES] = {
		[TIMELINE_RUNNING] = "running",
		[TIMELINE_RUNNABLE] = "runnable",
		[TIMELINE_READ] = "read",
		[TIMELINE_WRITE] = "write",
		[TIMELINE_LOCK] = "lock",
		[TIMELINE_CHILD] = "child",
		[TIMELINE_TIMER] = "timer",
		[TIMELINE_MESSAGE] = "message",
		[TIMELINE_PIPE] = "pipe",
		[TIMELINE_EVENTS] = "events",
		[TIMELINE_OTHER] = "other",
	};

	return names[state];
}

bool timeline_span_timed_out(const struct timeline_span *span)
{
	return span->woken_by == TIMELINE_WAKER_TIMER &&
		(span->state == TIMELINE_EVENTS || span->state == TIMELINE_LOCK ||
			span->state == TIMELINE_MESSAGE);
}
