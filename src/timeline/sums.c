/* SPDX-License-Identifier: MIT */
#include "timeline/sums.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

void sums_release(struct sums *sums)
{
	timeline_causes_release(&sums->causes);
	for (size_t i = 0; i < sums->n_processes; i++)
		timeline_causes_release(&sums->processes[i].causes);
	free(sums->processes);
	free(sums->files);
	free(sums->waits);
	*sums = (struct sums){0};
}

static int compare_files(const void *a, const void *b)
{
	const struct sum_file *x = a, *y = b;

	if (x->waited != y->waited)
		return x->waited < y->waited ? 1 : -1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->file > y->file) - (x->file < y->file);
}

static bool is_empty(const struct sum_file *file)
{
	return file->waited == 0 && file->reads == 0;
}

/* The last item is for reads of which the file is not known. */
static int sum_files(const struct timeline *timeline, struct sums *sums)
{
	_cleanup_free_ bool *awaited = calloc(timeline->n_reads + 1, sizeof(*awaited));
	size_t n = timeline->n_files + 1, kept = 0;

	sums->files = calloc(n, sizeof(*sums->files));
	if (!sums->files || !awaited)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		sums->files[i].file = i + 1 < n ? (uint32_t)i : TIMELINE_NONE;
	for (size_t i = 0; i < timeline->n_reads; i++) {
		const struct timeline_read *read = &timeline->reads[i];
		struct sum_file *file = &sums->files[read->file < n ? read->file : n - 1];
		uint64_t bytes = (uint64_t)read->pages * timeline->page_size;

		file->reads++;
		file->seeks += read->seeks;
		file->bytes += bytes;
		sums->n_seeks += read->seeks;
		sums->bytes += bytes;
	}
	for (size_t i = 0; i < timeline->n_spans; i++) {
		const struct timeline_span *span = &timeline->spans[i];
		uint64_t waited = sums->causes.by_span[i];

		if (span->state != TIMELINE_READ || waited == 0)
			continue;
		sums->files[span->file < n ? span->file : n - 1].waited += waited;
		if (span->read == TIMELINE_NONE)
			continue;
		sums->seek_time += timeline->reads[span->read].seeks ? waited : 0;
		sums->awaited += !awaited[span->read];
		awaited[span->read] = true;
	}
	for (size_t i = 0; i < n; i++)
		if (!is_empty(&sums->files[i]))
			sums->files[kept++] = sums->files[i];
	sums->n_files = kept;
	qsort(sums->files, kept, sizeof(*sums->files), compare_files);
	return 0;
}

static const char *program_of(const struct timeline *timeline, const struct timeline_thread *thread)
{
	const char *program = thread->name;

	for (size_t i = 0; i < timeline->n_execs; i++)
		if (timeline->threads[timeline->execs[i].thread].pid == thread->pid)
			program = timeline->execs[i].path;
	return program;
}

static int compare_processes(const void *a, const void *b)
{
	const struct sum_process *x = a, *y = b;

	if (x->causes.total != y->causes.total)
		return x->causes.total < y->causes.total ? 1 : -1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

static int sum_processes(const struct timeline *timeline, struct sums *sums)
{
	sums->processes = calloc(timeline->n_threads, sizeof(*sums->processes));
	if (!sums->processes)
		return -ENOMEM;
	for (size_t i = 0; i < timeline->n_threads; i++) {
		const struct timeline_thread *thread = &timeline->threads[i];
		struct sum_process *process = &sums->processes[sums->n_processes];
		int r;

		if (thread->tid != thread->pid)
			continue;
		r = timeline_causes_find(timeline, thread->pid, &process->causes);
		if (r < 0)
			return r;
		process->pid = thread->pid;
		process->thread = (uint32_t)i;
		process->program = program_of(timeline, thread);
		sums->n_processes++;
	}
	qsort(sums->processes, sums->n_processes, sizeof(*sums->processes), compare_processes);
	return 0;
}

static int compare_kinds(const void *a, const void *b)
{
	const struct sum_wait *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread > y->thread ? 1 : -1;
	if (x->state != y->state)
		return x->state > y->state ? 1 : -1;
	if (x->note != y->note)
		return x->note > y->note ? 1 : -1;
	return x->timed_out - y->timed_out;
}

static int compare_waits(const void *a, const void *b)
{
	const struct sum_wait *x = a, *y = b;

	if (x->waited != y->waited)
		return x->waited < y->waited ? 1 : -1;
	return compare_kinds(a, b);
}

/* Puts those of one kind together. */
static size_t join_waits(struct sum_wait *waits, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept > 0 && compare_kinds(&waits[kept - 1], &waits[i]) == 0) {
			waits[kept - 1].waited += waits[i].waited;
			waits[kept - 1].times++;
		} else {
			waits[kept++] = waits[i];
		}
	}
	return kept;
}

static int sum_waits(const struct timeline *timeline, struct sums *sums)
{
	size_t n = 0;

	sums->waits = calloc(timeline->n_spans + 1, sizeof(*sums->waits));
	if (!sums->waits)
		return -ENOMEM;
	for (size_t i = 0; i < timeline->n_spans; i++) {
		const struct timeline_span *span = &timeline->spans[i];

		if (span->state > TIMELINE_READ && sums->causes.by_span[i] > 0)
			sums->waits[n++] = (struct sum_wait){
				.thread = span->thread,
				.state = span->state,
				.note = span->note,
				.timed_out = timeline_span_timed_out(span),
				.waited = sums->causes.by_span[i],
				.times = 1,
			};
	}
	qsort(sums->waits, n, sizeof(*sums->waits), compare_kinds);
	sums->n_waits = join_waits(sums->waits, n);
	qsort(sums->waits, sums->n_waits, sizeof(*sums->waits), compare_waits);
	return 0;
}

int sums_make(const struct timeline *timeline, struct sums *ret)
{
	_cleanup_(sums_releasep) struct sums sums = {0};
	int r = timeline_causes_find(timeline, 0, &sums.causes);

	if (r == 0)
		r = sum_files(timeline, &sums);
	if (r == 0)
		r = sum_processes(timeline, &sums);
	if (r == 0)
		r = sum_waits(timeline, &sums);
	if (r < 0)
		return r;
	*ret = sums;
	sums = (struct sums){0};
	return 0;
}
