/* SPDX-License-Identifier: MIT */
/*
 * Goes through the times at which some thread begins to do something else. A tournament of the threads (D. Knuth, The Art of
 * Computer Programming, volume 3, section 5.4.1) knows at each of them whose span is the cause.
 */
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
	size_t *winners; /* owned; of nodes 2 i and 2 i + 1 the better thread is at i, and from n_leaves on each itself */
	size_t n_leaves; /* a power of two, so that there may be more than threads */
};

static void sweep_release(struct sweep *sweep)
{
	free(sweep->turns);
	free(sweep->current);
	free(sweep->winners);
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
	sweep->n_leaves = 1;
	while (sweep->n_leaves < n_threads)
		sweep->n_leaves *= 2;
	sweep->turns = calloc(n_spans + n_threads + 1, sizeof(*sweep->turns));
	sweep->current = calloc(sweep->n_leaves, sizeof(*sweep->current));
	sweep->winners = calloc(2 * sweep->n_leaves, sizeof(*sweep->winners));
	if (!sweep->turns || !sweep->current || !sweep->winners)
		return -ENOMEM;
	for (size_t i = 0; i < sweep->n_leaves; i++) {
		sweep->current[i] = NOTHING;
		sweep->winners[sweep->n_leaves + i] = i;
	}
	for (size_t node = sweep->n_leaves - 1; node > 0; node--)
		sweep->winners[node] = sweep->winners[2 * node];
	return 0;
}

static void add_span(struct sweep *sweep, size_t place, size_t span)
{
	sweep->turns[sweep->n_turns++] =
		(struct turn){.time = sweep->timeline->spans[span].begin, .place = place, .span = span};
}

static void add_end(struct sweep *sweep, size_t place, uint64_t time)
{
	sweep->turns[sweep->n_turns++] = (struct turn){.time = time, .place = place, .span = NOTHING};
}

/* States are causes in this order: a wait that is none of these only if no thread is in one of them. */
static int rank(enum timeline_state state)
{
	return state == TIMELINE_RUNNING     ? 0
		: state == TIMELINE_RUNNABLE ? 1
		: state == TIMELINE_READ     ? 2
					     : 3;
}

/* Whether span `a` rather than `b` is the cause. */
static bool is_rather(const struct timeline_span *a, const struct timeline_span *b)
{
	if (rank(a->state) != rank(b->state))
		return rank(a->state) < rank(b->state);
	if (rank(a->state) < 2)
		return false;
	return a->state == TIMELINE_READ ? a->begin < b->begin : a->end < b->end;
}

/* Of two threads the one whose span is rather the cause; the first of them if it is the same. */
static size_t better(const struct sweep *sweep, size_t first, size_t second)
{
	const struct timeline_span *spans = sweep->timeline->spans;
	size_t a = sweep->current[first], b = sweep->current[second];

	return b != NOTHING && (a == NOTHING || is_rather(&spans[b], &spans[a])) ? second : first;
}

static void take_turn(struct sweep *sweep, const struct turn *turn)
{
	size_t *winners = sweep->winners;

	sweep->current[turn->place] = turn->span;
	for (size_t node = (sweep->n_leaves + turn->place) / 2; node > 0; node /= 2)
		winners[node] = better(sweep, winners[2 * node], winners[2 * node + 1]);
}

/* The span that is the cause now; NOTHING if no thread lives. */
static size_t cause(const struct sweep *sweep)
{
	return sweep->current[sweep->winners[1]];
}

/* What lasts until the next turn, or after the last one until `end`. */
static int run(struct sweep *sweep, uint64_t end, timeline_piece *piece, void *context)
{
	int r = 0;

	if (sweep->n_turns > 1)
		qsort(sweep->turns, sweep->n_turns, sizeof(*sweep->turns), compare_turns);
	for (size_t i = 0; r == 0 && i < sweep->n_turns; i++) {
		uint64_t next = i + 1 < sweep->n_turns ? sweep->turns[i + 1].time : end;

		take_turn(sweep, &sweep->turns[i]);
		if (next > sweep->turns[i].time)
			r = piece(context, sweep->turns[i].time, next, cause(sweep));
	}
	return r;
}

struct sum {
	const struct timeline *timeline;
	struct timeline_causes *causes;
};

static int add_up(void *context, uint64_t begin, uint64_t end, size_t span)
{
	const struct sum *sum = context;

	sum->causes->total += end - begin;
	if (span == NOTHING) {
		sum->causes->nobody += end - begin;
		return 0;
	}
	sum->causes->states[sum->timeline->spans[span].state] += end - begin;
	if (sum->causes->by_span)
		sum->causes->by_span[span] += end - begin;
	return 0;
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
		add_end(&sweep, i, timeline->threads[i].end);
	for (size_t i = 0; i < sweep.n_turns; i++)
		first = sweep.turns[i].time < first ? sweep.turns[i].time : first;
	if (sweep.n_turns)
		causes.total = causes.nobody = first;
	run(&sweep, timeline->duration, add_up, &(struct sum){timeline, &causes});
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
		add_end(&sweep, i, thread->end);
		end = thread->end > end ? thread->end : end;
	}
	run(&sweep, end, add_up, &(struct sum){timeline, &causes});
	*ret = causes;
	return 0;
}

int timeline_causes_each(const struct timeline *timeline, const struct timeline_stay *stays, size_t n,
	timeline_piece *piece, void *context)
{
	_cleanup_(sweep_release) struct sweep sweep = {0};
	uint64_t end = 0;
	size_t n_spans = 0;

	for (size_t i = 0; i < n; i++)
		n_spans += stays[i].n;
	if (sweep_init(&sweep, timeline, n, n_spans) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		uint64_t ends = timeline->spans[stays[i].first + stays[i].n - 1].end;

		for (size_t j = 0; j < stays[i].n; j++)
			add_span(&sweep, i, stays[i].first + j);
		add_end(&sweep, i, ends);
		end = ends > end ? ends : end;
	}
	return run(&sweep, end, piece, context);
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
