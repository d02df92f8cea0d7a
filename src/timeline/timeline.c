/* SPDX-License-Identifier: MIT */
/* A timeline in memory: its lists, and what must hold of them. */
#include "timeline/timeline.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/checked.h"

int timeline_add_file(
	struct timeline *timeline, enum timeline_file_kind kind, uint64_t pages, const char *path)
{
	int r = ARRAY_RESERVE(timeline->files, timeline->files_capacity, timeline->n_files + 1);
	char *copy = r < 0 ? NULL : strdup(path);

	if (!copy)
		return -ENOMEM;
	timeline->files[timeline->n_files++] =
		(struct timeline_file){.path = copy, .kind = kind, .pages = pages};
	return 0;
}

int timeline_add_thread(struct timeline *timeline, const struct timeline_thread *thread, const char *name)
{
	int r = ARRAY_RESERVE(timeline->threads, timeline->threads_capacity, timeline->n_threads + 1);
	char *copy = r < 0 ? NULL : strdup(name);

	if (!copy)
		return -ENOMEM;
	timeline->threads[timeline->n_threads] = *thread;
	timeline->threads[timeline->n_threads++].name = copy;
	return 0;
}

int timeline_add_unit(struct timeline *timeline, const struct timeline_unit *unit)
{
	int r = ARRAY_RESERVE(timeline->units, timeline->units_capacity, timeline->n_units + 1);

	if (r < 0)
		return r;
	timeline->units[timeline->n_units++] = *unit;
	return 0;
}

int timeline_add_exec(struct timeline *timeline, uint64_t time, uint32_t thread, const char *path)
{
	int r = ARRAY_RESERVE(timeline->execs, timeline->execs_capacity, timeline->n_execs + 1);
	char *copy = r < 0 ? NULL : strdup(path);

	if (!copy)
		return -ENOMEM;
	timeline->execs[timeline->n_execs++] =
		(struct timeline_exec){.time = time, .thread = thread, .path = copy};
	return 0;
}

int timeline_add_span(struct timeline *timeline, const struct timeline_span *span)
{
	int r = ARRAY_RESERVE(timeline->spans, timeline->spans_capacity, timeline->n_spans + 1);

	if (r < 0)
		return r;
	timeline->spans[timeline->n_spans++] = *span;
	return 0;
}

int timeline_add_read(struct timeline *timeline, const struct timeline_read *read)
{
	int r = ARRAY_RESERVE(timeline->reads, timeline->reads_capacity, timeline->n_reads + 1);

	if (r < 0)
		return r;
	timeline->reads[timeline->n_reads++] = *read;
	return 0;
}

int timeline_add_mark(struct timeline *timeline, uint64_t time, const char *name)
{
	int r = ARRAY_RESERVE(timeline->marks, timeline->marks_capacity, timeline->n_marks + 1);
	char *copy = r < 0 ? NULL : strdup(name);

	if (!copy)
		return -ENOMEM;
	timeline->marks[timeline->n_marks++] = (struct timeline_mark){.time = time, .name = copy};
	return 0;
}

int timeline_add_note(struct timeline *timeline, const char *text)
{
	int r = ARRAY_RESERVE(timeline->notes, timeline->notes_capacity, timeline->n_notes + 1);
	char *copy = r < 0 ? NULL : strdup(text);

	if (!copy)
		return -ENOMEM;
	timeline->notes[timeline->n_notes++] = copy;
	return 0;
}

void timeline_release(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->n_files; i++)
		free(timeline->files[i].path);
	for (size_t i = 0; i < timeline->n_threads; i++)
		free(timeline->threads[i].name);
	for (size_t i = 0; i < timeline->n_execs; i++)
		free(timeline->execs[i].path);
	for (size_t i = 0; i < timeline->n_marks; i++)
		free(timeline->marks[i].name);
	for (size_t i = 0; i < timeline->n_notes; i++)
		free(timeline->notes[i]);
	free(timeline->files);
	free(timeline->threads);
	free(timeline->units);
	free(timeline->execs);
	free(timeline->spans);
	free(timeline->reads);
	free(timeline->marks);
	free(timeline->notes);
	free(timeline->command);
	free(timeline->program);
	free(timeline->kernel);
	free(timeline->ended_by);
	*timeline = (struct timeline){0};
}

static bool index_good(uint32_t index, size_t count)
{
	return index == TIMELINE_NONE || index < count;
}

static bool period_good(const struct timeline *timeline, uint64_t begin, uint64_t end)
{
	return begin <= end && end <= timeline->duration;
}

/* A thread is made by an earlier one, so there is no circle of parents. */
static bool threads_good(const struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->n_threads; i++) {
		const struct timeline_thread *thread = &timeline->threads[i];

		if (!period_good(timeline, thread->begin, thread->end) || thread->tid <= 0 ||
			thread->pid <= 0 || (i > 0 && thread->begin < thread[-1].begin) ||
			(thread->parent != TIMELINE_NONE && thread->parent >= i))
			return false;
	}
	return true;
}

static bool units_good(const struct timeline *timeline)
{
	if (timeline->n_units != 0 && timeline->n_units != timeline->n_threads)
		return false;
	for (size_t i = 0; i < timeline->n_units; i++) {
		const struct timeline_unit *unit = &timeline->units[i];
		bool active = unit->active != TIMELINE_NEVER;

		if (unit->started != TIMELINE_NEVER &&
			!period_good(timeline, unit->started, active ? unit->active : timeline->duration))
			return false;
		if (active && unit->active > timeline->duration)
			return false;
	}
	return true;
}

static bool execs_good(const struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->n_execs; i++) {
		const struct timeline_exec *exec = &timeline->execs[i];

		if (exec->time > timeline->duration || exec->thread >= timeline->n_threads ||
			(i > 0 && exec->time < exec[-1].time))
			return false;
	}
	return true;
}

static bool span_good(const struct timeline *timeline, const struct timeline_span *span)
{
	return period_good(timeline, span->begin, span->end) && span->state < TIMELINE_STATES &&
		span->woken_by < TIMELINE_WAKERS && index_good(span->file, timeline->n_files) &&
		index_good(span->read, timeline->n_reads) && index_good(span->note, timeline->n_notes) &&
		(span->woken_by == TIMELINE_WAKER_THREAD ? span->waker < timeline->n_threads
							 : span->waker == TIMELINE_NONE);
}

static bool spans_good(const struct timeline *timeline)
{
	size_t at = 0;

	for (size_t i = 0; i < timeline->n_threads; i++) {
		const struct timeline_thread *thread = &timeline->threads[i];
		uint64_t time = thread->begin;

		for (; at < timeline->n_spans && timeline->spans[at].thread == i; at++) {
			if (!span_good(timeline, &timeline->spans[at]) || timeline->spans[at].begin != time)
				return false;
			time = timeline->spans[at].end;
		}
		if (time != thread->end)
			return false;
	}
	return at == timeline->n_spans;
}

static bool reads_good(const struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->n_reads; i++) {
		const struct timeline_read *read = &timeline->reads[i];

		if (!period_good(timeline, read->begin, read->end) || read->thread >= timeline->n_threads ||
			!index_good(read->file, timeline->n_files) || read->pages == 0 ||
			!range_fits(read->page, read->pages, UINT32_MAX) ||
			read->prefetch >= TIMELINE_PREFETCHES || (i > 0 && read->begin < read[-1].begin))
			return false;
	}
	return true;
}

#define YEAR_10000 253402300800ll /* seconds since the epoch */

int timeline_check(const struct timeline *timeline)
{
	if (timeline->page_size < 512 || timeline->page_size > 1u << 24 || timeline->recorded < 0 ||
		timeline->recorded >= YEAR_10000 || timeline->n_threads == 0 || !threads_good(timeline) ||
		!units_good(timeline) || !execs_good(timeline) || !spans_good(timeline) ||
		!reads_good(timeline))
		return -EINVAL;
	for (size_t i = 0; i < timeline->n_files; i++)
		if (timeline->files[i].kind >= TIMELINE_FILE_KINDS ||
			strlen(timeline->files[i].path) >= PATH_MAX)
			return -EINVAL;
	for (size_t i = 0; i < timeline->n_marks; i++)
		if (timeline->marks[i].time > timeline->duration ||
			(i > 0 && timeline->marks[i].time < timeline->marks[i - 1].time))
			return -EINVAL;
	return 0;
}

static int compare_places(const void *a, const void *b, void *context)
{
	const struct timeline *timeline = context;
	const struct timeline_read *x = &timeline->reads[*(const uint32_t *)a],
				   *y = &timeline->reads[*(const uint32_t *)b];

	if (x->file != y->file)
		return x->file > y->file ? 1 : -1;
	return (x->page > y->page) - (x->page < y->page);
}

void timeline_sort_by_place(const struct timeline *timeline, uint32_t *reads, size_t n)
{
	if (n > 1)
		qsort_r(reads, n, sizeof(*reads), compare_places, (void *)timeline);
}
