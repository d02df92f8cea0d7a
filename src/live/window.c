/* SPDX-License-Identifier: MIT */
#include "live/window.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/times.h"
#include "record/timelines/source.h"
#include "record/timelines/threads.h"

/* A path of others might lead to a file system that does not answer. */
static bool is_narrow(const struct window *window, const struct record_exec *exec)
{
	return window->attached ? threads_are_narrow(exec->pid) : timeline_source_is_narrow(exec->path);
}

static int take_execs(struct window *window, struct record_trace *trace)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < trace->n_execs; i++) {
		const struct timeline_moment moment = {.time = trace->execs[i].time,
			.thread = trace->execs[i].pid,
			.kind = MOMENT_EXEC,
			.flags = is_narrow(window, &trace->execs[i]) ? MOMENT_NARROW : 0};

		r = record_trace_add_moment(&window->trace, &moment);
	}
	record_trace_drop_execs(trace);
	return r;
}

int window_take(struct window *window, struct record_trace *trace)
{
	int r = timeline_source_append(&window->trace, trace->moments, trace->n_moments, window->no_calls);

	if (r == 0)
		r = take_execs(window, trace);
	for (size_t i = 0; r == 0 && i < trace->n_requests; i++)
		r = record_trace_add_request(&window->trace, &trace->requests[i]);
	window->trace.lost |= trace->lost || trace->requests_lost;
	trace->n_moments = trace->n_requests = trace->n_events = 0;
	trace->lost = trace->requests_lost = false;
	return r;
}

/* A process that runs or reads says so by whichever of its threads does. */
static enum timeline_state more_telling(
	enum timeline_state so_far, const struct timeline_thread *thread, enum timeline_state state)
{
	if (so_far == TIMELINE_RUNNING || state == TIMELINE_RUNNING)
		return TIMELINE_RUNNING;
	if (so_far == TIMELINE_READ || state == TIMELINE_READ)
		return TIMELINE_READ;
	return thread->tid == thread->pid ? state : so_far;
}

/* Which files of the timeline are which of the model; NULL for those without a name. */
static struct live_file *file_of(struct live *live, const struct timeline *timeline, uint32_t index)
{
	const struct timeline_file *file = index == TIMELINE_NONE ? NULL : &timeline->files[index];

	return file && file->kind != TIMELINE_UNNAMED
		? live_file(live, file->path, file->kind == TIMELINE_METADATA)
		: live_file(live, "", false);
}

static int add_spans(struct live *live, const struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->n_spans; i++) {
		const struct timeline_span *span = &timeline->spans[i];
		const struct timeline_thread *thread = &timeline->threads[span->thread];
		struct live_process *process;
		struct live_file *file = NULL;

		if (thread->parent == TIMELINE_NONE) /* us */
			continue;
		process = live_process(live, thread->pid, 0);
		if (!process)
			return -ENOMEM;
		process->states[span->state] += span->end - span->begin;
		if (span->end == timeline->duration)
			process->state = more_telling(process->state, thread, span->state);
		if (span->state != TIMELINE_READ)
			continue;
		if (span->file != TIMELINE_NONE)
			file = file_of(live, timeline, span->file);
		live_add_wait(live, file, span->end - span->begin);
		if (span->end == timeline->duration && file) {
			live->reading = file->path;
			live->reader = thread->pid;
		}
	}
	return 0;
}

static int add_reads(struct live *live, const struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->n_reads; i++) {
		const struct timeline_read *read = &timeline->reads[i];
		int32_t pid = timeline->threads[read->thread].pid;
		uint64_t bytes = (uint64_t)read->pages * timeline->page_size;
		struct live_process *process = live_process(live, pid, 0);
		struct live_file *file = file_of(live, timeline, read->file);

		if (!process || !file)
			return -ENOMEM;
		process->bytes += bytes;
		live_add_bytes(live, file, bytes, pid);
	}
	return 0;
}

/* The processes that there are, and those that have ended. */
static int add_processes(struct live *live, const struct carry *carry)
{
	for (size_t i = 0; i < carry->count; i++) {
		const struct carried *thread = &carry->items[i];
		struct live_process *process = live_process(live, thread->pid, thread->parent);

		if (!process)
			return -ENOMEM;
		if (thread->parent)
			process->parent = thread->parent;
		if (thread->tid == thread->pid)
			memcpy(process->name, thread->away.name, sizeof(process->name));
		if (!thread->ended)
			process->seen = live->turns;
	}
	for (size_t i = 0; i < live->n_processes; i++)
		live->processes[i].ended |= live->processes[i].seen != live->turns;
	return 0;
}

static int add_timeline(struct window *window, const struct timeline *timeline, struct live *live)
{
	int r;

	for (size_t i = 0; i < live->n_processes; i++)
		live->processes[i].state = TIMELINE_OTHER;
	r = add_reads(live, timeline);
	if (r == 0)
		r = add_spans(live, timeline);
	return r == 0 ? add_processes(live, &window->carry) : r;
}

/* Threads may have begun and ended in events that were dropped. */
static int look_again(struct window *window)
{
	int r;

	threads_end_missing(&window->carry);
	r = threads_add_tree(&window->carry, window->top);
	window->looked = monotonic_ns();
	return r;
}

/* What came after the end of the window is for the next one; requests of this one may end in the next. */
static void keep_rest(struct window *window, uint64_t complete)
{
	struct record_trace *trace = &window->trace;
	size_t used = 0, kept = 0;

	while (used < trace->n_moments && trace->moments[used].time <= complete)
		used++;
	trace->n_moments -= used;
	if (trace->n_moments)
		memmove(trace->moments, trace->moments + used, trace->n_moments * sizeof(*trace->moments));
	for (size_t i = 0; i < trace->n_requests; i++)
		if (trace->requests[i].time >= window->began)
			trace->requests[kept++] = trace->requests[i];
	trace->n_requests = kept;
	trace->lost = false;
	window->began = complete + 1;
}

/*
 * A timeline takes what a disk was asked for only if that disk has answered: others are made of disks. One whose first
 * answer is still to come is a disk, too.
 */
static int add_busy_disks(const struct record_trace *trace, struct record_disks *disks)
{
	for (size_t i = 0; i < trace->n_requests; i++) {
		const struct record_request *request = &trace->requests[i];
		struct record_disk *disk;
		size_t at = 0;

		while (at < disks->n && disks->items[at].device != request->device)
			at++;
		if (request->done || at < disks->n)
			continue;
		if (ARRAY_RESERVE(disks->items, disks->capacity, disks->n + 1) < 0)
			return -ENOMEM;
		disk = &disks->items[disks->n++];
		*disk = (struct record_disk){.device = request->device};
		if (ARRAY_RESERVE(disk->reads, disk->capacity, 1) < 0)
			return -ENOMEM;
		disk->reads[disk->n++] = (struct device_read){
			.issued = request->time, .done = UINT64_MAX, .offset = UINT64_MAX, .bytes = 0};
	}
	return 0;
}

int window_turn(struct window *window, const struct record_files *files, uint64_t complete, struct live *live)
{
	_cleanup_(timeline_source_release) struct timeline_source source = {0};
	_cleanup_(record_disks_releasep) struct record_disks disks = {0};
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	struct timeline_events events = {
		.began = window->began,
		.ended = complete,
		.first = getpid(),
		.page_size = (uint32_t)sysconf(_SC_PAGESIZE),
	};
	size_t used = 0;
	int r;

	if (complete <= window->began)
		return 0;
	live->lost |= window->trace.lost;
	live_turn(live, complete);
	r = carry_begin(&window->carry, window->began, events.first, window->looked, &window->trace);
	if (r == 0)
		r = requests_join(&window->trace, &disks);
	if (r == 0)
		r = add_busy_disks(&window->trace, &disks);
	if (r == 0)
		r = timeline_source_make(&window->trace, files, &disks, &source, &events);
	if (r == 0)
		r = timeline_build(&events, &timeline);
	while (used < window->trace.n_moments && window->trace.moments[used].time <= complete)
		used++;
	if (r == 0)
		r = carry_take(&window->carry, window->trace.moments, used);
	if (r == 0 && window->trace.lost && window->attached)
		r = look_again(window);
	if (r == 0)
		r = add_timeline(window, &timeline, live);
	if (r == 0)
		r = carry_drop_ended(&window->carry);
	keep_rest(window, complete);
	return r;
}

void window_release(struct window *window)
{
	record_trace_release(&window->trace);
	carry_release(&window->carry);
}
