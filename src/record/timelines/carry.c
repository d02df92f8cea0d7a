/* SPDX-License-Identifier: MIT */
#include "record/timelines/carry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

#define MOMENTS_EACH 6

struct carried *carry_find(const struct carry *carry, int32_t tid)
{
	size_t index = tid > 0 ? inode_map_find(&carry->by_tid, 0, (uint64_t)tid) : INODE_MAP_NONE;

	return index == INODE_MAP_NONE ? NULL : &carry->items[index];
}

int carry_add(struct carry *carry, const struct carried *thread, const char *name, uint32_t state)
{
	struct carried *known = carry_find(carry, thread->tid), *added;
	int r = 0;

	if (known && !known->ended)
		return 0;
	if (!known)
		r = ARRAY_RESERVE(carry->items, carry->capacity, carry->count + 1);
	if (r == 0 && !known)
		r = inode_map_add(&carry->by_tid, 0, (uint64_t)thread->tid, carry->count);
	if (r < 0)
		return r;
	added = known ? known : &carry->items[carry->count++]; /* the number is used again */
	*added = *thread;
	added->away = (struct timeline_moment){.kind = MOMENT_SWITCH, .thread = thread->tid, .state = state};
	snprintf(added->away.name, sizeof(added->away.name), "%s", name);
	return 0;
}

/* What each thread does at `began`, as moments: MOMENTS_EACH at most. Returns how many. */
static size_t carry_moments(
	const struct carry *carry, uint64_t began, int32_t first, struct timeline_moment *ret)
{
	size_t n = 0;

	/* A timeline knows a process by its first thread, so these come first, and have not ended before the others are there. */
	for (int others = 0; others < 2; others++)
		for (size_t i = 0; i < carry->count; i++) {
			const struct carried *thread = &carry->items[i];
			bool leads = thread->tid == thread->pid;
			bool shares = !leads && carry_find(carry, thread->pid);

			if (leads != others)
				ret[n++] = (struct timeline_moment){.kind = MOMENT_NEW,
					.thread = shares ? thread->pid : first,
					.other = thread->tid,
					.flags = shares ? MOMENT_SHARES_THREAD : 0};
		}
	for (size_t i = 0; i < carry->count; i++) {
		const struct carried *thread = &carry->items[i];

		if (thread->narrow)
			ret[n++] = (struct timeline_moment){
				.kind = MOMENT_EXEC, .thread = thread->tid, .flags = MOMENT_NARROW};
		if (thread->has_call)
			ret[n++] = thread->call;
		if (thread->has_touch)
			ret[n++] = thread->touch;
		ret[n++] = thread->away;
		if (thread->on_processor)
			ret[n++] = (struct timeline_moment){.kind = MOMENT_SWITCH, .other = thread->tid};
	}
	for (size_t i = 0; i < n; i++)
		ret[i].time = began + i;
	return n;
}

int carry_begin(
	const struct carry *carry, uint64_t began, int32_t first, uint64_t looked, struct record_trace *trace)
{
	_cleanup_free_ struct timeline_moment *moments =
		calloc(MOMENTS_EACH * carry->count + 1, sizeof(*moments));
	size_t kept = 0, n;
	int r = 0;

	if (!moments)
		return -ENOMEM;
	for (size_t i = 0; i < trace->n_moments; i++) {
		const struct timeline_moment *moment = &trace->moments[i];

		if (moment->kind != MOMENT_NEW || moment->time > looked || !carry_find(carry, moment->other))
			trace->moments[kept++] = *moment;
	}
	trace->n_moments = kept;
	n = carry_moments(carry, began, first, moments);
	if (trace->moments_max)
		trace->moments_max += n;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = record_trace_add_moment(trace, &moments[i]);
	return r;
}

static int take_new(struct carry *carry, const struct timeline_moment *moment)
{
	const struct carried *parent = carry_find(carry, moment->thread);
	bool shares = moment->flags & MOMENT_SHARES_THREAD;
	struct carried thread = {.tid = moment->other};

	if (!parent || moment->other <= 0 || moment->context != CONTEXT_THREAD)
		return 0;
	thread.narrow = parent->narrow;
	thread.pid = shares ? parent->pid : moment->other;
	thread.parent = shares ? parent->parent : parent->pid;
	return carry_add(carry, &thread, parent->away.name, 0);
}

/*
 * The thread, if it has not ended. A thread that executes a program takes over the number of the first one of its process, which
 * has ended (execve(2)): then that number is seen again.
 */
static struct carried *find_living(const struct carry *carry, int32_t tid)
{
	struct carried *found = carry_find(carry, tid);

	for (size_t i = 0; found && found->ended && i < carry->count; i++) {
		struct carried *other = &carry->items[i];

		if (other->ended || other->pid != tid)
			continue;
		*found = *other;
		found->tid = found->away.thread = tid;
		found->has_call = found->has_touch = false;
		other->ended = true;
	}
	return found && !found->ended ? found : NULL;
}

static void take_switch(const struct carry *carry, const struct timeline_moment *moment)
{
	struct carried *before = find_living(carry, moment->thread),
		       *after = find_living(carry, moment->other);

	if (before) {
		before->away = *moment;
		before->away.other = 0;
		before->on_processor = false;
		before->ended |= (moment->state & MOMENT_ENDED) != 0;
	}
	if (after)
		after->on_processor = true;
}

int carry_take(struct carry *carry, const struct timeline_moment *moments, size_t n)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct timeline_moment *moment = &moments[i];
		struct carried *thread = moment->context == CONTEXT_THREAD && moment->kind != MOMENT_WAKING
			? find_living(carry, moment->thread)
			: NULL;

		if (moment->kind == MOMENT_NEW) {
			r = take_new(carry, moment);
		} else if (moment->kind == MOMENT_SWITCH) {
			take_switch(carry, moment);
		} else if (moment->kind == MOMENT_WAKING) {
			struct carried *woken = carry_find(carry, moment->other);

			if (woken && !woken->on_processor)
				woken->away.state = 0;
		} else if (!thread) {
			continue;
		} else if (moment->kind == MOMENT_EXEC) {
			thread->narrow = moment->flags & MOMENT_NARROW;
		} else if (moment->kind == MOMENT_CALL) {
			thread->call = *moment;
			thread->has_call = true;
			thread->has_touch = false;
		} else if (moment->kind == MOMENT_TOUCH ||
			(moment->kind == MOMENT_ADDED && !thread->has_touch)) {
			thread->touch = *moment;
			thread->touch.kind = MOMENT_TOUCH; /* as such it is not read once more */
			thread->has_touch = true;
		}
	}
	return r;
}

int carry_drop_ended(struct carry *carry)
{
	size_t kept = 0;
	int r = 0;

	for (size_t i = 0; i < carry->count; i++) {
		const struct carried *thread = &carry->items[i];
		struct carried *first = thread->ended ? NULL : carry_find(carry, thread->pid);

		if (first)
			first->has_others = true;
	}
	for (size_t i = 0; i < carry->count; i++) {
		bool has_others = carry->items[i].has_others;

		carry->items[i].has_others = false;
		if (!carry->items[i].ended || has_others)
			carry->items[kept++] = carry->items[i];
	}
	if (kept == carry->count)
		return 0;
	carry->count = kept;
	inode_map_release(&carry->by_tid);
	carry->by_tid = (struct inode_map){0};
	for (size_t i = 0; r == 0 && i < kept; i++)
		r = inode_map_add(&carry->by_tid, 0, (uint64_t)carry->items[i].tid, i);
	return r;
}

void carry_release(struct carry *carry)
{
	free(carry->items);
	inode_map_release(&carry->by_tid);
	*carry = (struct carry){0};
}
