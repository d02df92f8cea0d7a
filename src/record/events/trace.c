/* SPDX-License-Identifier: MIT */
/* The lists of a recording. */
#include "record/events/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* 32 Mi events are 1.25 GiB: the trace of a command that reads for minutes is cut there, and marked as such. */
#define EVENTS_MAX (32u << 20)

#define REQUESTS_MAX (1u << 20)  /* 32 MiB: more tell nothing new of a disk */
#define MOMENTS_MAX  (8u << 20)  /* 384 MiB */
#define EXECS_MAX    (64u << 10) /* a program that executes others without end must not take all memory */

static size_t events_max(const struct record_trace *trace)
{
	return trace->events_max ? trace->events_max : EVENTS_MAX;
}

int record_trace_add_event(struct record_trace *trace, const struct record_event *event)
{
	struct record_event *before = trace->n_events ? &trace->events[trace->n_events - 1] : NULL;
	int r;

	if (before && before->inode == event->inode && before->device == event->device &&
		before->first == event->first && before->last == event->last && before->kind == event->kind)
		return 0;
	if (trace->n_events >= events_max(trace)) {
		trace->lost = true;
		return 0;
	}
	r = ARRAY_RESERVE(trace->events, trace->events_capacity, trace->n_events + 1);
	if (r < 0)
		return r;
	trace->events[trace->n_events++] = *event;
	return 0;
}

int record_trace_add_request(struct record_trace *trace, const struct record_request *request)
{
	int r;

	if (trace->n_requests == REQUESTS_MAX) {
		trace->requests_lost = true;
		return 0;
	}
	r = ARRAY_RESERVE(trace->requests, trace->requests_capacity, trace->n_requests + 1);
	if (r < 0)
		return r;
	trace->requests[trace->n_requests++] = *request;
	return 0;
}

int record_trace_add_moment(struct record_trace *trace, const struct timeline_moment *moment)
{
	int r;

	if (trace->n_moments >= (trace->moments_max ? trace->moments_max : MOMENTS_MAX)) {
		trace->lost = true;
		return 0;
	}
	r = ARRAY_RESERVE(trace->moments, trace->moments_capacity, trace->n_moments + 1);
	if (r < 0)
		return r;
	trace->moments[trace->n_moments++] = *moment;
	return 0;
}

static int add_path(struct record_trace *trace, struct record_exec **list, size_t *n, size_t *capacity,
	const struct record_exec *item)
{
	struct record_exec copy = *item;
	int r;

	if (*n == EXECS_MAX) {
		trace->lost = true;
		return 0;
	}
	r = ARRAY_RESERVE(*list, *capacity, *n + 1);
	if (r < 0)
		return r;
	copy.path = strdup(item->path);
	if (!copy.path)
		return -ENOMEM;
	(*list)[(*n)++] = copy;
	return 0;
}

int record_trace_add_exec(struct record_trace *trace, uint64_t time, int32_t pid, const char *path)
{
	return add_path(trace, &trace->execs, &trace->n_execs, &trace->execs_capacity,
		&(struct record_exec){.time = time, .pid = pid, .path = (char *)path});
}

int record_trace_add_group(struct record_trace *trace, uint64_t time, int32_t pid, const char *path)
{
	return add_path(trace, &trace->groups, &trace->n_groups, &trace->groups_capacity,
		&(struct record_exec){.time = time, .pid = pid, .path = (char *)path});
}

int record_trace_add_pid(struct record_trace *trace, int32_t pid)
{
	int r = ARRAY_RESERVE(trace->pids, trace->pids_capacity, trace->n_pids + 1);

	if (r < 0)
		return r;
	trace->pids[trace->n_pids++] = pid;
	return 0;
}

static void drop_paths(struct record_exec *list, size_t *n)
{
	while (*n > 0)
		free(list[--*n].path);
}

void record_trace_drop_execs(struct record_trace *trace)
{
	drop_paths(trace->execs, &trace->n_execs);
}

void record_trace_drop_groups(struct record_trace *trace)
{
	drop_paths(trace->groups, &trace->n_groups);
}

void record_trace_release(struct record_trace *trace)
{
	record_trace_drop_execs(trace);
	record_trace_drop_groups(trace);
	free(trace->events);
	free(trace->execs);
	free(trace->groups);
	free(trace->pids);
	free(trace->requests);
	free(trace->moments);
	*trace = (struct record_trace){0};
}

int record_files_add(struct record_files *files, struct record_file **ret)
{
	int r = ARRAY_RESERVE(files->items, files->capacity, files->count + 1);

	if (r < 0)
		return r;
	*ret = &files->items[files->count++];
	**ret = (struct record_file){0};
	return 0;
}

void record_file_release(struct record_file *file)
{
	free(file->path);
	free(file->resident);
}

void record_files_release(struct record_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		record_file_release(&files->items[i]);
	free(files->items);
	*files = (struct record_files){0};
}
