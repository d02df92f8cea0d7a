/* SPDX-License-Identifier: MIT */
/*
 * Goes through the moments in their order, and keeps for each thread what it is doing since when.
 *
 * Which data a read is for is not in the kernel's event of it. But pages enter the page cache in the same thread, just
 * before the disk is asked for them: so what a thread asks a disk for is what it has added last.
 */
#include "timeline/builder.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

#define SECTOR   512u
#define UNTRACED 0x00800000u /* CLONE_UNTRACED */

static int add_thread(struct builder *builder, uint64_t time, int32_t tid, int32_t pid, uint32_t parent)
{
	struct timeline *into = builder->into;
	const struct timeline_thread thread = {
		.begin = time, .end = time, .tid = tid, .pid = pid, .parent = parent};
	int r;

	if (tid <= 0 || pid <= 0 || (uint32_t)tid >= MOMENT_TID_MAX)
		return 0;
	r = ARRAY_RESERVE(builder->workers, builder->workers_capacity, into->n_threads + 1);
	if (r == 0)
		r = timeline_add_thread(
			into, &thread, parent == TIMELINE_NONE ? "" : into->threads[parent].name);
	if (r < 0)
		return r;
	builder->workers[into->n_threads - 1] = (struct worker){
		.state = TIMELINE_RUNNABLE,
		.since = time,
		.wait.call = -1,
		.file = TIMELINE_NONE,
	};
	builder->by_tid[tid] = (uint32_t)into->n_threads;
	return 0;
}

static int file_of(struct builder *builder, uint32_t device, uint64_t inode, uint32_t *ret)
{
	size_t index = inode_map_find(&builder->files, device, inode);
	struct timeline_named named = {.kind = TIMELINE_UNNAMED, .path = ""};
	int r;

	if (index == INODE_MAP_NONE) {
		index = builder->into->n_files;
		builder->events->name(builder->events->context, device, inode, &named);
		if (strlen(named.path) >= PATH_MAX)
			named = (struct timeline_named){.kind = TIMELINE_UNNAMED, .path = ""};
		r = timeline_add_file(builder->into, named.kind, named.pages, named.path);
		if (r == 0)
			r = inode_map_add(&builder->files, device, inode, index);
		if (r < 0)
			return r;
	}
	*ret = (uint32_t)index;
	return 0;
}

/* Ends what the thread does, and begins something else. Returns 0 or -ENOMEM. */
static int turn(struct builder *builder, uint32_t thread, uint64_t time, enum timeline_state state,
	enum timeline_waker woken_by, uint32_t waker)
{
	struct worker *worker = &builder->workers[thread];
	bool reads = worker->state == TIMELINE_READ;
	struct draft_span span = {
		.span = {.begin = worker->since,
			.end = time,
			.thread = thread,
			.state = worker->state,
			.file = reads ? worker->file : TIMELINE_NONE,
			.read = TIMELINE_NONE,
			.note = TIMELINE_NONE,
			.waker = waker,
			.woken_by = woken_by},
		.page = reads ? worker->page : UINT32_MAX,
	};
	int r = 0;

	if (time < worker->since) /* the clocks of two processors differ by a little */
		span.span.end = time = worker->since;
	if (time > worker->since) {
		r = ARRAY_RESERVE(builder->spans, builder->spans_capacity, builder->n_spans + 1);
		if (r == 0)
			builder->spans[builder->n_spans++] = span;
		if (reads && worker->file == TIMELINE_NONE)
			worker->wait_at = builder->n_spans;
	}
	if (reads && builder->events->no_calls)
		worker->file = TIMELINE_NONE;
	worker->state = state;
	worker->since = time;
	builder->into->threads[thread].end = time;
	return r;
}

/* The thread can run again: what it waited for without asking a disk has arrived. */
static void end_open_reads(struct builder *builder, uint32_t thread, uint64_t time)
{
	struct worker *worker = &builder->workers[thread];

	for (size_t i = worker->open_from; i < worker->open_to; i++)
		if (builder->into->reads[i].thread == thread)
			builder->into->reads[i].end = time;
	worker->open_from = worker->open_to = 0;
}

static int wake(struct builder *builder, const struct timeline_moment *moment, uint64_t time)
{
	uint32_t thread = thread_of(builder, moment->other), waker = thread_of(builder, moment->thread);
	enum timeline_waker by = TIMELINE_WAKER_OUTSIDE;

	if (thread == TIMELINE_NONE || builder->workers[thread].ended ||
		!is_wait(builder->workers[thread].state))
		return 0;
	if (moment->context == CONTEXT_HARD)
		by = TIMELINE_WAKER_TIMER;
	else if (moment->context == CONTEXT_SOFT)
		by = TIMELINE_WAKER_NETWORK;
	else if (waker != TIMELINE_NONE)
		by = TIMELINE_WAKER_THREAD;
	end_open_reads(builder, thread, time);
	return turn(builder, thread, time, TIMELINE_RUNNABLE, by,
		by == TIMELINE_WAKER_THREAD ? waker : TIMELINE_NONE);
}

/*
 * Pages that were added, and that no disk of this machine was asked for: a server or a FUSE program will bring them. Without calls they may as well
 * have been written.
 */
static int open_reads(struct builder *builder, uint32_t thread)
{
	struct worker *worker = &builder->workers[thread];
	struct timeline *into = builder->into;

	worker->open_from = into->n_reads;
	for (size_t i = 0; i < worker->n_runs; i++) {
		const struct run *run = &worker->runs[i];
		const struct timeline_read read = {
			.begin = run->time,
			.end = into->duration,
			.thread = thread,
			.file = run->file,
			.page = run->page,
			.pages = run->pages,
			.seeks = i > 0,
		};
		int r = builder->events->no_calls && !run->served ? 0 : timeline_add_read(into, &read);

		if (r < 0)
			return r;
	}
	worker->open_to = into->n_reads;
	worker->n_runs = 0;
	return 0;
}

static int leave_processor(
	struct builder *builder, uint32_t thread, const struct timeline_moment *moment, uint64_t time)
{
	struct worker *worker = &builder->workers[thread];
	enum timeline_state state = TIMELINE_RUNNABLE;
	int r = 0;

	if (moment->state & (MOMENT_BLOCKED | MOMENT_ENDED)) {
		worker->wait.deep = moment->state & 2;
		worker->wait.has_file =
			worker->file != TIMELINE_NONE || (builder->events->no_calls && worker->wait.deep);
		state = wait_state(&worker->wait);
	}
	if (state == TIMELINE_READ)
		r = open_reads(builder, thread);
	else if (builder->events->no_calls && is_wait(state))
		worker->n_runs = 0; /* what was to be read of it has been asked for */
	if (r == 0)
		r = turn(builder, thread, time, state, TIMELINE_WAKER_UNKNOWN, TIMELINE_NONE);
	worker->ended = moment->state & MOMENT_ENDED;
	return r;
}

static int rename_thread(struct timeline_thread *thread, const char *name)
{
	char *copy;

	if (strcmp(thread->name, name) == 0)
		return 0;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	free(thread->name);
	thread->name = copy;
	return 0;
}

/*
 * A thread that executes a program ends the others of its process, and takes over the number of the first of them (execve(2)).
 * So that number is seen again.
 */
static int go_on(struct builder *builder, uint32_t first, uint64_t time)
{
	const struct timeline_thread *threads = builder->into->threads;
	struct worker *worker = &builder->workers[first];
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < builder->into->n_threads; i++) {
		if (threads[i].pid != threads[first].tid || builder->workers[i].ended)
			continue;
		r = turn(builder, i, time, TIMELINE_OTHER, TIMELINE_WAKER_UNKNOWN, TIMELINE_NONE);
		builder->workers[i].ended = true;
		worker->ended = false;
	}
	if (r < 0 || worker->ended)
		return r;
	worker->wait = (struct wait){.call = -1};
	worker->file = TIMELINE_NONE;
	worker->n_runs = worker->wait_at = 0;
	return turn(builder, first, time, TIMELINE_RUNNING, TIMELINE_WAKER_UNKNOWN, TIMELINE_NONE);
}

/* The thread with this number, which lives; *ret is TIMELINE_NONE if there is none. */
static int find_living(struct builder *builder, int32_t tid, uint64_t time, uint32_t *ret)
{
	uint32_t thread = thread_of(builder, tid);
	int r = 0;

	if (thread != TIMELINE_NONE && builder->workers[thread].ended)
		r = go_on(builder, thread, time);
	*ret = thread != TIMELINE_NONE && builder->workers[thread].ended ? TIMELINE_NONE : thread;
	return r;
}

static int take_switch(struct builder *builder, const struct timeline_moment *moment, uint64_t time)
{
	uint32_t before, after;
	int r = find_living(builder, moment->thread, time, &before);

	if (r == 0)
		r = find_living(builder, moment->other, time, &after);
	if (r < 0)
		return r;
	if (before != TIMELINE_NONE) {
		r = rename_thread(&builder->into->threads[before], moment->name);
		if (r == 0)
			r = leave_processor(builder, before, moment, time);
	}
	if (r == 0 && after != TIMELINE_NONE) {
		end_open_reads(builder, after, time);
		r = turn(builder, after, time, TIMELINE_RUNNING, TIMELINE_WAKER_UNKNOWN, TIMELINE_NONE);
	}
	return r;
}

static int take_new(struct builder *builder, const struct timeline_moment *moment, uint64_t time)
{
	uint32_t parent = thread_of(builder, moment->thread), made;
	int r;

	/* A worker of io_uring: the kernel makes it by itself, and reports nothing of it but some of its switches. */
	if (parent == TIMELINE_NONE || (moment->flags & MOMENT_SHARES_THREAD && moment->flags & UNTRACED))
		return 0;
	r = add_thread(builder, time, moment->other,
		moment->flags & MOMENT_SHARES_THREAD ? builder->into->threads[parent].pid : moment->other,
		parent);
	made = thread_of(builder, moment->other);
	if (r == 0 && made != TIMELINE_NONE)
		builder->workers[made].narrow = builder->workers[parent].narrow;
	return r;
}

static int take_access(struct builder *builder, uint32_t thread, uint32_t file,
	const struct timeline_moment *moment, uint64_t time)
{
	return accesses_add(&builder->accesses,
		&(struct access){.time = time,
			.thread = thread,
			.file = file,
			.first = moment->first,
			.last = moment->last});
}

/* Around a touched page, the kernel has mapped others of the file that are in memory. */
static int take_mapped(
	struct builder *builder, uint32_t thread, const struct timeline_moment *moment, uint64_t time)
{
	size_t file = inode_map_find(&builder->files, moment->device, moment->inode);

	return file == INODE_MAP_NONE || moment->last < moment->first
		? 0
		: take_access(builder, thread, (uint32_t)file, moment, time);
}

static int take_touch(struct builder *builder, uint32_t thread, uint32_t file,
	const struct timeline_moment *moment, uint64_t time)
{
	struct worker *worker = &builder->workers[thread];

	worker->file = file;
	worker->page = moment->first;
	worker->n_runs = 0;
	builder->accesses.touches = true;
	/* A read(2) is reported when it has its pages, and so after the wait for them. */
	if (worker->wait_at) {
		builder->spans[worker->wait_at - 1].span.file = file;
		builder->spans[worker->wait_at - 1].page = moment->first;
		worker->wait_at = 0;
	}
	return take_access(builder, thread, file, moment, time);
}

static int take_pages(
	struct builder *builder, uint32_t thread, const struct timeline_moment *moment, uint64_t time)
{
	struct worker *worker = &builder->workers[thread];
	struct run *last = worker->n_runs ? &worker->runs[worker->n_runs - 1] : NULL;
	uint32_t file, pages = moment->last - moment->first + 1;
	int r;

	if (moment->last < moment->first || moment->last == UINT32_MAX)
		return 0;
	r = file_of(builder, moment->device, moment->inode, &file);
	if (r < 0)
		return r;
	if (moment->kind == MOMENT_TOUCH)
		return take_touch(builder, thread, file, moment, time);
	if (worker->file == TIMELINE_NONE && !builder->events->no_calls) {
		worker->file = file;
		worker->page = moment->first;
	}
	if (last && last->file == file && moment->first > 0 && last->page + last->pages == moment->first) {
		last->pages += pages;
		return 0;
	}
	r = ARRAY_RESERVE(worker->runs, worker->runs_capacity, worker->n_runs + 1);
	if (r == 0)
		worker->runs[worker->n_runs++] = (struct run){.file = file,
			.page = moment->first,
			.pages = pages,
			.time = time,
			.served = moment->device >> 20 == 0};
	return r;
}

static void drop_run(struct worker *worker, size_t i)
{
	for (worker->n_runs--; i < worker->n_runs; i++)
		worker->runs[i] = worker->runs[i + 1];
}

/*
 * Takes, of what the thread has added, up to `pages` that lie together. The file system's own blocks are read at once,
 * in the midst of data that is being added.
 */
static struct run take_run(const struct builder *builder, struct worker *worker, uint32_t pages)
{
	struct run taken = {.file = TIMELINE_NONE, .pages = pages};
	size_t at = worker->n_runs ? worker->n_runs - 1 : 0;
	struct run *run;

	if (worker->n_runs == 0)
		return taken;
	if (builder->into->files[worker->runs[at].file].kind != TIMELINE_METADATA)
		at = 0;
	run = &worker->runs[at];
	taken = *run;
	if (taken.pages > pages)
		taken.pages = pages;
	run->page += taken.pages;
	run->pages -= taken.pages;
	if (run->pages == 0)
		drop_run(worker, at);
	return taken;
}

static int take_asked(
	struct builder *builder, uint32_t thread, const struct timeline_moment *moment, uint64_t time)
{
	const struct timeline_events *events = builder->events;
	struct worker *worker = &builder->workers[thread];
	uint64_t offset = moment->sector * SECTOR, bytes = (uint64_t)moment->sectors * SECTOR, end;
	uint32_t pages = (uint32_t)(bytes / events->page_size), at = 0;
	bool seeks = false, planned = prefetched_call(worker->wait.call);

	if (bytes == 0 || moment->sector > UINT64_MAX / SECTOR / 2 ||
		!requests_has_disk(&builder->requests, moment->disk))
		return 0;
	end = requests_end(&builder->requests, moment->disk, moment->time, offset, &seeks);
	for (pages += pages == 0; at < pages;) {
		struct run run = take_run(builder, worker, pages - at);
		const struct timeline_read read = {
			.begin = time,
			.end = end == UINT64_MAX ? builder->into->duration : since_start(builder, end),
			.place = offset + (uint64_t)at * events->page_size,
			.thread = thread,
			.file = run.file,
			.page = run.page,
			.pages = run.pages,
			.disk = moment->disk,
			.seeks = seeks && at == 0,
			.prefetch = planned ? TIMELINE_UNJUDGED : TIMELINE_NO_PREFETCH,
		};
		int r = timeline_add_read(builder->into, &read);

		if (r == 0 && planned && run.file != TIMELINE_NONE)
			r = accesses_want(&builder->accesses, run.file);
		if (r < 0)
			return r;
		at += run.pages;
		/* Without a page asked for before, the thread will wait for this: an inode, a folder. */
		if (worker->file == TIMELINE_NONE && run.file != TIMELINE_NONE && !events->no_calls) {
			worker->file = run.file;
			worker->page = run.page;
		}
	}
	return 0;
}

static int take_moment(struct builder *builder, const struct timeline_moment *moment)
{
	uint64_t time = since_start(builder, moment->time);
	uint32_t thread;
	int r;

	if (moment->time < builder->events->began || moment->time > builder->events->ended)
		return 0;
	if (moment->kind == MOMENT_SWITCH)
		return take_switch(builder, moment, time);
	if (moment->kind == MOMENT_WAKING)
		return wake(builder, moment, time);
	if (moment->context != CONTEXT_THREAD)
		return 0;
	r = find_living(builder, moment->thread, time, &thread);
	if (r < 0 || thread == TIMELINE_NONE)
		return r;
	switch (moment->kind) {
	case MOMENT_NEW:
		return take_new(builder, moment, time);
	case MOMENT_CALL:
		builder->workers[thread].wait.call =
			builder->workers[thread].narrow ? MOMENT_NO_CALL : moment->call;
		builder->workers[thread].file = TIMELINE_NONE;
		builder->workers[thread].n_runs = 0;
		builder->workers[thread].wait_at = 0;
		return 0;
	case MOMENT_EXEC:
		builder->workers[thread].narrow = moment->flags & MOMENT_NARROW;
		return 0;
	case MOMENT_TOUCH:
	case MOMENT_ADDED:
		return take_pages(builder, thread, moment, time);
	case MOMENT_MAPPED:
		return take_mapped(builder, thread, moment, time);
	case MOMENT_ASKED:
		return take_asked(builder, thread, moment, time);
	}
	return 0;
}

static int compare_moments(const void *a, const void *b)
{
	const struct timeline_moment *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

static void builder_release(struct builder *builder)
{
	for (size_t i = 0; builder->workers && i < builder->into->n_threads; i++)
		free(builder->workers[i].runs);
	free(builder->workers);
	free(builder->by_tid);
	free(builder->spans);
	inode_map_release(&builder->files);
	requests_release(&builder->requests);
	accesses_release(&builder->accesses);
}

int timeline_build(struct timeline_events *events, struct timeline *into)
{
	_cleanup_(builder_release) struct builder builder = {.events = events, .into = into};
	int r;

	into->duration = events->ended > events->began ? events->ended - events->began : 0;
	into->page_size = events->page_size;
	builder.by_tid = calloc(MOMENT_TID_MAX, sizeof(*builder.by_tid));
	if (!builder.by_tid)
		return -ENOMEM;
	if (events->n_moments > 1)
		qsort(events->moments, events->n_moments, sizeof(*events->moments), compare_moments);
	r = requests_index(events, &builder.requests);
	if (r == 0)
		r = add_thread(&builder, 0, events->first, events->first, TIMELINE_NONE);
	for (size_t i = 0; r == 0 && i < events->n_moments; i++)
		r = take_moment(&builder, &events->moments[i]);
	for (uint32_t i = 0; r == 0 && i < into->n_threads; i++)
		if (!builder.workers[i].ended)
			r = turn(&builder, i, into->duration, TIMELINE_OTHER, TIMELINE_WAKER_UNKNOWN,
				TIMELINE_NONE);
	return r < 0 ? r : builder_finish(&builder);
}
