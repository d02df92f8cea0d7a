/* SPDX-License-Identifier: MIT */
/* The end of a timeline that is being built: its lists in their order, and what the waits were for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "timeline/builder.h"
#include "timeline/owners.h"

static int compare_reads(const void *a, const void *b)
{
	const struct timeline_read *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static int compare_spans(const void *a, const void *b)
{
	const struct draft_span *x = a, *y = b;

	if (x->span.thread != y->span.thread)
		return x->span.thread > y->span.thread ? 1 : -1;
	return (x->span.begin > y->span.begin) - (x->span.begin < y->span.begin);
}

static int compare_execs(const void *a, const void *b)
{
	const struct timeline_exec *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

static int add_execs(struct builder *builder)
{
	const struct timeline_events *events = builder->events;
	struct timeline *into = builder->into;
	int r = 0;

	for (size_t i = 0; r == 0 && i < events->n_execs; i++) {
		uint32_t thread = thread_of(builder, events->execs[i].tid);

		if (thread != TIMELINE_NONE && events->execs[i].time <= events->ended)
			r = timeline_add_exec(into, since_start(builder, events->execs[i].time), thread,
				events->execs[i].text);
	}
	if (into->n_execs > 1)
		qsort(into->execs, into->n_execs, sizeof(*into->execs), compare_execs);
	return r;
}

static int note_of(struct timeline *into, const char *text, uint32_t *ret)
{
	size_t i = 0;
	int r = 0;

	while (i < into->n_notes && strcmp(into->notes[i], text) != 0)
		i++;
	if (i == into->n_notes)
		r = timeline_add_note(into, text);
	if (r == 0)
		*ret = (uint32_t)i;
	return r;
}

/* The last span of the thread that began at this time or before; NULL if there is none. */
static struct timeline_span *span_at(const struct timeline *into, uint32_t thread, uint64_t time)
{
	const struct timeline_span *spans = into->spans;
	size_t low = ARRAY_BISECT(i, into->n_spans,
		spans[i].thread < thread || (spans[i].thread == thread && spans[i].begin <= time));

	return low > 0 && into->spans[low - 1].thread == thread ? &into->spans[low - 1] : NULL;
}

static int add_waits(struct builder *builder)
{
	const struct timeline_events *events = builder->events;
	int r = 0;

	for (size_t i = 0; r == 0 && i < events->n_waits; i++) {
		uint64_t time = since_start(builder, events->waits[i].time);
		uint32_t thread = thread_of(builder, events->waits[i].tid);
		struct timeline_span *span =
			thread == TIMELINE_NONE ? NULL : span_at(builder->into, thread, time);

		if (span && is_wait(span->state) && span->state != TIMELINE_READ && time < span->end)
			r = note_of(builder->into, events->waits[i].text, &span->note);
	}
	return r;
}

/* No read explains them: a lock, a write, a program that is being made. */
static void leave_out_other_waits(struct timeline *into)
{
	for (size_t i = 0; i < into->n_spans; i++) {
		struct timeline_span *span = &into->spans[i];

		if (span->state != TIMELINE_READ || span->read != TIMELINE_NONE)
			continue;
		span->state = TIMELINE_OTHER;
		span->file = TIMELINE_NONE;
	}
}

int builder_finish(struct builder *builder)
{
	struct timeline *into = builder->into;
	_cleanup_(owners_release) struct owners owners = {0};
	_cleanup_free_ uint32_t *pages = calloc(builder->n_spans + 1, sizeof(*pages));
	int r = 0;

	if (!pages)
		return -ENOMEM;
	if (builder->n_spans > 1)
		qsort(builder->spans, builder->n_spans, sizeof(*builder->spans), compare_spans);
	for (size_t i = 0; r == 0 && i < builder->n_spans; i++) {
		pages[i] = builder->spans[i].page;
		r = timeline_add_span(into, &builder->spans[i].span);
	}
	if (into->n_reads > 1)
		qsort(into->reads, into->n_reads, sizeof(*into->reads), compare_reads);
	if (r == 0)
		r = add_execs(builder);
	if (r == 0)
		r = owners_init(&owners, into);
	if (r < 0)
		return r;
	owners_name_waits(&owners, into);
	r = reads_match_waits(into, pages, builder->events->no_calls);
	if (r == 0 && builder->events->no_calls)
		leave_out_other_waits(into);
	if (r == 0)
		r = prefetched_judge(into, &owners, &builder->accesses);
	return r < 0 ? r : add_waits(builder);
}
