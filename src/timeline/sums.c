/* SPDX-License-Identifier: MIT */
#include "timeline/sums.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

void sums_release(struct sums *sums)
{
	timeline_causes_release(&sums->causes);
	free(sums->processes);
	free(sums->programs);
	free(sums->files);
	free(sums->units);
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
		if (read->prefetch == TIMELINE_NO_PREFETCH)
			continue;
		sums->prefetched[read->prefetch]++;
		sums->prefetched_bytes[read->prefetch] += bytes;
		sums->prefetches++;
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

static int compare_processes(const void *a, const void *b)
{
	const struct sum_process *x = a, *y = b;

	if (x->causes.total != y->causes.total)
		return x->causes.total < y->causes.total ? 1 : -1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* The threads by process, and what belongs to each thread. */
struct groups {
	const struct timeline *timeline;
	uint32_t *threads;     /* owned; by process, then ascending */
	size_t *spans;         /* owned; the first one of each thread, and the number of all */
	const char **programs; /* owned; the last one that each thread executed, NULL without */
	size_t *execs;         /* owned; which one that was */
};

static void groups_release(struct groups *groups)
{
	free(groups->threads);
	free(groups->spans);
	free(groups->programs);
	free(groups->execs);
}

static int compare_threads(const void *a, const void *b, void *context)
{
	const struct timeline *timeline = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int32_t p = timeline->threads[x].pid, q = timeline->threads[y].pid;

	return p != q ? (p > q) - (p < q) : (x > y) - (x < y);
}

static int groups_init(struct groups *groups, const struct timeline *timeline)
{
	size_t n = timeline->n_threads;

	groups->timeline = timeline;
	groups->threads = calloc(n + 1, sizeof(*groups->threads));
	groups->spans = calloc(n + 1, sizeof(*groups->spans));
	groups->programs = calloc(n + 1, sizeof(*groups->programs));
	groups->execs = calloc(n + 1, sizeof(*groups->execs));
	if (!groups->threads || !groups->spans || !groups->programs || !groups->execs)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		groups->threads[i] = (uint32_t)i;
	qsort_r(groups->threads, n, sizeof(*groups->threads), compare_threads, (void *)timeline);
	for (size_t i = 0; i < timeline->n_spans; i++)
		groups->spans[timeline->spans[i].thread + 1]++;
	for (size_t i = 0; i < n; i++)
		groups->spans[i + 1] += groups->spans[i];
	for (size_t i = 0; i < timeline->n_execs; i++) {
		groups->programs[timeline->execs[i].thread] = timeline->execs[i].path;
		groups->execs[timeline->execs[i].thread] = i;
	}
	return 0;
}

/* These are the threads of one process. It counts if its first one is among them. */
static int sum_process(const struct groups *groups, const uint32_t *threads, size_t n, struct sums *sums)
{
	const struct timeline *timeline = groups->timeline;
	struct sum_process *process = &sums->processes[sums->n_processes];
	const char *program = NULL;
	size_t exec = 0, first = 0;

	for (size_t i = 0; i < n; i++)
		if (groups->programs[threads[i]] && (!program || groups->execs[threads[i]] > exec)) {
			program = groups->programs[threads[i]];
			exec = groups->execs[threads[i]];
		}
	while (first < n && timeline->threads[threads[first]].tid != timeline->threads[threads[first]].pid)
		first++;
	if (!program && first < n)
		program = timeline->threads[threads[first]].name;
	for (size_t i = 0; i < n; i++)
		sums->programs[threads[i]] = program ? program : timeline->threads[threads[i]].name;
	if (first == n)
		return 0;
	process->pid = timeline->threads[threads[first]].pid;
	process->thread = threads[first];
	process->program = program;
	sums->n_processes++;
	return timeline_causes_find_process(timeline, threads, n, groups->spans, &process->causes);
}

static int sum_processes(const struct timeline *timeline, struct sums *sums)
{
	_cleanup_(groups_release) struct groups groups = {0};
	size_t begin = 0;
	int r = groups_init(&groups, timeline);

	sums->processes = calloc(timeline->n_threads + 1, sizeof(*sums->processes));
	sums->programs = calloc(timeline->n_threads + 1, sizeof(*sums->programs));
	if (!sums->processes || !sums->programs)
		return -ENOMEM;
	for (size_t i = 1; r == 0 && i <= timeline->n_threads; i++) {
		if (i < timeline->n_threads &&
			timeline->threads[groups.threads[i]].pid ==
				timeline->threads[groups.threads[begin]].pid)
			continue;
		r = sum_process(&groups, groups.threads + begin, i - begin, sums);
		begin = i;
	}
	if (r < 0)
		return r;
	qsort(sums->processes, sums->n_processes, sizeof(*sums->processes), compare_processes);
	return 0;
}

/* A unit read some of a file, or waited for it. */
struct use {
	uint32_t thread, file;
	uint64_t waited, bytes;
	bool read, seeks;
};

static int compare_uses(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread > y->thread ? 1 : -1;
	return (x->file > y->file) - (x->file < y->file);
}

static int compare_units(const void *a, const void *b)
{
	const struct sum_unit *x = a, *y = b;

	if (x->waited != y->waited)
		return x->waited < y->waited ? 1 : -1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

static size_t find_uses(const struct timeline *timeline, struct use *uses)
{
	size_t n = 0;

	for (size_t i = 0; i < timeline->n_reads; i++) {
		const struct timeline_read *read = &timeline->reads[i];

		uses[n++] = (struct use){.thread = read->thread,
			.file = read->file,
			.bytes = (uint64_t)read->pages * timeline->page_size,
			.read = true,
			.seeks = read->seeks};
	}
	for (size_t i = 0; i < timeline->n_spans; i++) {
		const struct timeline_span *span = &timeline->spans[i];

		if (span->state == TIMELINE_READ)
			uses[n++] = (struct use){.thread = span->thread,
				.file = span->file,
				.waited = span->end - span->begin};
	}
	qsort(uses, n, sizeof(*uses), compare_uses);
	return n;
}

/* These are all uses of one file by one unit. */
static void add_uses(const struct use *uses, size_t n, struct sum_unit *unit)
{
	uint64_t waited = 0;

	for (size_t i = 0; i < n; i++) {
		waited += uses[i].waited;
		unit->bytes += uses[i].bytes;
		unit->reads += uses[i].read;
		unit->seeks += uses[i].seeks;
	}
	unit->waited += waited;
	unit->files += uses->file != TIMELINE_NONE;
	if (uses->file != TIMELINE_NONE && waited > unit->file_waited) {
		unit->file = uses->file;
		unit->file_waited = waited;
	}
}

static int sum_units(const struct timeline *timeline, struct sums *sums)
{
	_cleanup_free_ struct use *uses = NULL;
	size_t n, begin = 0;

	if (!timeline_is_boot(timeline))
		return 0;
	sums->units = calloc(timeline->n_threads, sizeof(*sums->units));
	uses = calloc(timeline->n_reads + timeline->n_spans + 1, sizeof(*uses));
	if (!sums->units || !uses)
		return -ENOMEM;
	sums->n_units = timeline->n_threads;
	for (size_t i = 0; i < sums->n_units; i++)
		sums->units[i] = (struct sum_unit){.thread = (uint32_t)i, .file = TIMELINE_NONE};
	n = find_uses(timeline, uses);
	for (size_t i = 1; i <= n; i++)
		if (i == n || compare_uses(&uses[begin], &uses[i]) != 0) {
			add_uses(&uses[begin], i - begin, &sums->units[uses[begin].thread]);
			begin = i;
		}
	qsort(sums->units, sums->n_units, sizeof(*sums->units), compare_units);
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
	int r = timeline_causes_find(timeline, &sums.causes);

	if (r == 0)
		r = sum_files(timeline, &sums);
	if (r == 0)
		r = sum_processes(timeline, &sums);
	if (r == 0)
		r = sum_units(timeline, &sums);
	if (r == 0)
		r = sum_waits(timeline, &sums);
	if (r < 0)
		return r;
	*ret = sums;
	sums = (struct sums){0};
	return 0;
}
