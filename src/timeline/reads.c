/* SPDX-License-Identifier: MIT */
#include "timeline/reads.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"

#define STEPS_MAX 4096 /* requests or reads that are looked at for one: more are not under way at once */
#define SLACK_NS                                                                                             \
	1000000 /* a thread is woken at the end of its read, but the kernel may report the end after that */

struct disk_request {
	struct timeline_request request;
	bool seeks;
};

static int compare_issued(const void *a, const void *b)
{
	const struct timeline_request *x = a, *y = b;

	if (x->disk != y->disk)
		return x->disk > y->disk ? 1 : -1;
	return (x->issued > y->issued) - (x->issued < y->issued);
}

static int compare_done(const void *a, const void *b)
{
	const struct disk_request *x = a, *y = b;

	if (x->request.disk != y->request.disk)
		return x->request.disk > y->request.disk ? 1 : -1;
	return (x->request.done > y->request.done) - (x->request.done < y->request.done);
}

int requests_index(const struct timeline_events *events, struct requests *ret)
{
	struct disk_request *items = calloc(events->n_requests + 1, sizeof(*items));

	if (!items)
		return -ENOMEM;
	if (events->n_requests > 1)
		qsort(events->requests, events->n_requests, sizeof(*events->requests), compare_issued);
	for (size_t i = 0; i < events->n_requests; i++) {
		const struct timeline_request *request = &events->requests[i],
					      *before = i ? request - 1 : NULL;

		items[i].request = *request;
		items[i].seeks = !before || before->disk != request->disk ||
			before->offset + before->bytes != request->offset;
	}
	if (events->n_requests > 1)
		qsort(items, events->n_requests, sizeof(*items), compare_done);
	*ret = (struct requests){.items = items, .n = events->n_requests};
	return 0;
}

void requests_release(struct requests *requests)
{
	free(requests->items);
}

/* The first request of the disk that ended at this time or later. */
static size_t first_after(const struct requests *requests, uint32_t disk, uint64_t time)
{
	const struct disk_request *items = requests->items;

	return ARRAY_BISECT(i, requests->n,
		items[i].request.disk < disk ||
			(items[i].request.disk == disk && items[i].request.done < time));
}

bool requests_has_disk(const struct requests *requests, uint32_t disk)
{
	size_t at = first_after(requests, disk, 0);

	return at < requests->n && requests->items[at].request.disk == disk;
}

uint64_t requests_end(
	const struct requests *requests, uint32_t disk, uint64_t time, uint64_t offset, bool *ret_seeks)
{
	size_t at = first_after(requests, disk, time);

	for (size_t i = at; i < requests->n && i < at + STEPS_MAX; i++) {
		const struct timeline_request *request = &requests->items[i].request;

		if (request->disk != disk)
			break;
		if (offset < request->offset || offset - request->offset >= request->bytes)
			continue;
		/* What was merged with it lies behind it. */
		*ret_seeks = requests->items[i].seeks && offset == request->offset;
		return request->done;
	}
	return UINT64_MAX;
}

static int compare_ends(const void *a, const void *b, void *context)
{
	const struct timeline *timeline = context;
	uint64_t x = timeline->reads[*(const uint32_t *)a].end, y = timeline->reads[*(const uint32_t *)b].end;

	return (x > y) - (x < y);
}

/* One past the last read, in the order of their ends, that ended at this time or before. */
static size_t ended_by(const struct timeline *timeline, const uint32_t *order, uint64_t time)
{
	return ARRAY_BISECT(i, timeline->n_reads, timeline->reads[order[i]].end <= time);
}

/* How well a read explains the end of a wait; 0: not at all. */
static int explains(
	const struct timeline_read *read, const struct timeline_span *span, uint32_t page, bool any_own)
{
	if (span->file != TIMELINE_NONE && read->file != span->file)
		return any_own && read->thread == span->thread ? 2 : 0;
	if (page != UINT32_MAX && read->file == span->file && page >= read->page &&
		page - read->page < read->pages)
		return 3;
	return read->thread == span->thread ? 2 : span->file != TIMELINE_NONE ? 1 : 0;
}

static void match_wait(const struct timeline *timeline, const uint32_t *order, struct timeline_span *span,
	uint32_t page, bool any_own)
{
	size_t at = ended_by(timeline, order, span->end + SLACK_NS);
	int best = 0;

	for (size_t i = 0; i < STEPS_MAX && i < at; i++) {
		const struct timeline_read *read = &timeline->reads[order[at - 1 - i]];
		int how;

		if (read->end < span->begin)
			break;
		how = read->begin <= span->end ? explains(read, span, page, any_own) : 0;
		if (how > best) {
			best = how;
			span->read = order[at - 1 - i];
		}
	}
	if (best && (span->file == TIMELINE_NONE || (any_own && best == 2)))
		span->file = timeline->reads[span->read].file;
}

int reads_match_waits(struct timeline *timeline, const uint32_t *pages, bool any_own)
{
	_cleanup_free_ uint32_t *order = calloc(timeline->n_reads + 1, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < timeline->n_reads; i++) {
		order[i] = (uint32_t)i;
		timeline->reads[i].ahead = true;
	}
	if (timeline->n_reads > 1)
		qsort_r(order, timeline->n_reads, sizeof(*order), compare_ends, timeline);
	for (size_t i = 0; i < timeline->n_spans; i++) {
		struct timeline_span *span = &timeline->spans[i];

		if (span->state != TIMELINE_READ)
			continue;
		match_wait(timeline, order, span, pages[i], any_own);
		if (span->read != TIMELINE_NONE)
			timeline->reads[span->read].ahead = false;
	}
	return 0;
}
