/* SPDX-License-Identifier: MIT */
#include "record/waits/sleepers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/times.h"
#include "record/waits/name.h"

#define LONG_NS     20000000u /* a wait of this length is looked at */
#define LOOKS_MAX   32u       /* at a time: events are waiting for us, too */
#define REMARKS_MAX 5000u

struct sleeper {
	int32_t tid;
	bool asleep, looked;
	uint64_t changed; /* nanoseconds, CLOCK_MONOTONIC */
};

void sleepers_release(struct sleepers *sleepers)
{
	for (size_t i = 0; i < sleepers->n_remarks; i++)
		free((char *)sleepers->remarks[i].text);
	free(sleepers->remarks);
	free(sleepers->items);
	free(sleepers->by_tid);
	*sleepers = (struct sleepers){0};
}

static int take_pids(struct sleepers *sleepers, const struct record_trace *trace)
{
	for (; sleepers->pids_seen < trace->n_pids; sleepers->pids_seen++) {
		int32_t tid = trace->pids[sleepers->pids_seen];
		int r = ARRAY_RESERVE(sleepers->items, sleepers->capacity, sleepers->n + 1);

		if (r < 0)
			return r;
		if (tid <= 0 || (uint32_t)tid >= MOMENT_TID_MAX)
			continue;
		sleepers->items[sleepers->n++] = (struct sleeper){.tid = tid};
		sleepers->by_tid[tid] = (uint32_t)sleepers->n;
	}
	return 0;
}

/* Events of two processors come one processor after the other: the later one counts. */
static void change(struct sleepers *sleepers, int32_t tid, uint64_t time, bool asleep)
{
	uint32_t index = tid > 0 && (uint32_t)tid < MOMENT_TID_MAX ? sleepers->by_tid[tid] : 0;
	struct sleeper *sleeper = index ? &sleepers->items[index - 1] : NULL;

	if (!sleeper || time < sleeper->changed)
		return;
	sleeper->changed = time;
	sleeper->asleep = asleep;
	sleeper->looked = false;
}

static void take_moments(struct sleepers *sleepers, const struct record_trace *trace)
{
	for (; sleepers->moments_seen < trace->n_moments; sleepers->moments_seen++) {
		const struct timeline_moment *moment = &trace->moments[sleepers->moments_seen];

		if (moment->kind != MOMENT_SWITCH)
			continue;
		change(sleepers, moment->thread, moment->time,
			(moment->state & MOMENT_BLOCKED) && !(moment->state & MOMENT_ENDED));
		change(sleepers, moment->other, moment->time, false);
	}
}

static int look(struct sleepers *sleepers, const struct sleeper *sleeper)
{
	uint64_t now = monotonic_ns();
	_cleanup_free_ char *text = wait_name(sleeper->tid);
	int r;

	if (!text)
		return 0;
	r = ARRAY_RESERVE(sleepers->remarks, sleepers->remarks_capacity, sleepers->n_remarks + 1);
	if (r < 0)
		return r;
	sleepers->remarks[sleepers->n_remarks++] =
		(struct timeline_remark){.time = now, .tid = sleeper->tid, .text = TAKE_PTR(text)};
	return 0;
}

int sleepers_look(struct sleepers *sleepers, const struct record_trace *trace)
{
	uint64_t now = monotonic_ns();
	size_t looks = 0;
	int r;

	if (!sleepers->by_tid)
		sleepers->by_tid = calloc(MOMENT_TID_MAX, sizeof(*sleepers->by_tid));
	r = sleepers->by_tid ? take_pids(sleepers, trace) : -ENOMEM;
	if (r < 0)
		return r;
	take_moments(sleepers, trace);
	for (size_t i = 0;
		r == 0 && i < sleepers->n && looks < LOOKS_MAX && sleepers->n_remarks < REMARKS_MAX; i++) {
		struct sleeper *sleeper = &sleepers->items[i];

		if (!sleeper->asleep || sleeper->looked || now < sleeper->changed + LONG_NS)
			continue;
		sleeper->looked = true;
		looks++;
		r = look(sleepers, sleeper);
	}
	return r;
}
