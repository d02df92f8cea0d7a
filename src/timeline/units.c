/* SPDX-License-Identifier: MIT */
#include "timeline/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/string-index.h"
#include "base/strings.h"
#include "timeline/causes.h"

#define NO_UNIT  "(no unit)"
#define OTHERS   "(other units)"
#define FINEST   100000u /* nanoseconds */
#define SLACK    1000000u /* nanoseconds: a process may be seen in a unit a moment before it is seen to begin */
#define SYSTEMD  1        /* its pid */
#define NOTHING  SIZE_MAX /* no span */
#define NO_STAYS UINT64_MAX

struct unit {
	const char *name; /* borrowed */
	uint64_t begin;   /* of its first stay; NO_STAYS without */
	size_t stays_at;  /* its first stay */
	size_t n_stays;
	uint32_t row; /* its thread in the new timeline */
};

/* A process, by its first thread. */
struct process {
	uint32_t born;        /* the unit that it began in */
	size_t first, n_seen; /* members of this process */
};

struct grouping {
	const struct timeline *threads;
	struct timeline_boot *boot;
	struct timeline *into;
	struct unit *units; /* owned */
	size_t n_units, units_capacity;
	struct string_index index;
	uint32_t *member_units;       /* owned; of each member */
	uint32_t *processes_of;       /* owned; for each thread, the first thread of its process */
	struct process *processes;    /* owned; for each thread that is such a first one */
	struct timeline_stay *stays;  /* owned; by unit */
	uint32_t *stay_units;         /* owned; of each stay, in the order of spans */
	struct timeline_stay *drafts; /* owned; the stays in the order of spans */
	size_t n_stays;
	uint32_t *files; /* owned; for each file, which it is in the new timeline */
	uint32_t row;    /* that is being made */
};

static void grouping_release(struct grouping *grouping)
{
	free(grouping->units);
	string_index_release(&grouping->index);
	free(grouping->member_units);
	free(grouping->processes_of);
	free(grouping->processes);
	free(grouping->stays);
	free(grouping->stay_units);
	free(grouping->drafts);
	free(grouping->files);
}

static int unit_of(struct grouping *grouping, const char *name, uint32_t *ret)
{
	ssize_t at = string_index_find(
		&grouping->index, grouping->units, sizeof(*grouping->units), grouping->n_units, name);
	int r;

	if (at == -ENOMEM)
		return -ENOMEM;
	if (at < 0 && grouping->n_units >= TIMELINE_UNITS_MAX - 1 && !streq(name, OTHERS))
		return unit_of(grouping, OTHERS, ret);
	if (at < 0) {
		r = ARRAY_RESERVE(grouping->units, grouping->units_capacity, grouping->n_units + 1);
		if (r < 0)
			return r;
		at = (ssize_t)grouping->n_units++;
		grouping->units[at] = (struct unit){.name = name, .begin = NO_STAYS};
	}
	*ret = (uint32_t)at;
	return 0;
}

static int compare_members(const void *a, const void *b)
{
	const struct timeline_member *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid > y->pid ? 1 : -1;
	return (x->time > y->time) - (x->time < y->time);
}

static int name_units(struct grouping *grouping)
{
	struct timeline_boot *boot = grouping->boot;
	uint32_t none;
	int r = unit_of(grouping, NO_UNIT, &none);

	grouping->member_units = calloc(boot->n_members + 1, sizeof(*grouping->member_units));
	if (!grouping->member_units)
		return -ENOMEM;
	if (boot->n_members > 1)
		qsort(boot->members, boot->n_members, sizeof(*boot->members), compare_members);
	for (size_t i = 0; r == 0 && i < boot->n_members; i++)
		r = unit_of(grouping, boot->members[i].unit, &grouping->member_units[i]);
	return r;
}

/* Nanoseconds since the timeline began. */
static uint64_t since(const struct grouping *grouping, uint64_t time)
{
	return time > grouping->boot->began ? time - grouping->boot->began : 0;
}

/* The first member of this process, or of one with a higher number, that was seen at this time or later. */
static size_t member_at(const struct grouping *grouping, int32_t pid, uint64_t time)
{
	const struct timeline_member *members = grouping->boot->members;

	return ARRAY_BISECT(i, grouping->boot->n_members,
		members[i].pid < pid || (members[i].pid == pid && since(grouping, members[i].time) < time));
}

/* The unit of a process at this time. */
static uint32_t unit_at(const struct grouping *grouping, uint32_t process, uint64_t time)
{
	const struct process *found = &grouping->processes[process];
	size_t last = member_at(grouping, grouping->threads->threads[process].pid, time + 1);

	if (last > found->first + found->n_seen)
		last = found->first + found->n_seen;
	return last > found->first ? grouping->member_units[last - 1] : found->born;
}

/* Where a process begins: threads before it are known. */
static void find_birth(struct grouping *grouping, uint32_t thread, uint64_t next_begin)
{
	const struct timeline_thread *self = &grouping->threads->threads[thread];
	struct process *process = &grouping->processes[thread];
	uint64_t from = self->begin > SLACK ? self->begin - SLACK : 0;

	process->first = member_at(grouping, self->pid, from);
	process->n_seen = member_at(grouping, self->pid, next_begin) - process->first;
	if (self->parent == TIMELINE_NONE || self->parent == 0)
		return; /* it was there before us */
	if (grouping->threads->threads[self->parent].pid == SYSTEMD && process->n_seen > 0)
		process->born = grouping->member_units[process->first];
	else
		process->born = unit_at(grouping, grouping->processes_of[self->parent], self->begin);
}

/* When a process with the same number begins after this one. */
static int find_processes(struct grouping *grouping)
{
	const struct timeline *threads = grouping->threads;
	_cleanup_free_ uint64_t *next = calloc(threads->n_threads + 1, sizeof(*next));
	_cleanup_free_ uint32_t *by_pid = NULL;
	int32_t most = 0;

	for (size_t i = 0; i < threads->n_threads; i++)
		most = threads->threads[i].pid > most ? threads->threads[i].pid : most;
	grouping->processes_of = calloc(threads->n_threads + 1, sizeof(*grouping->processes_of));
	grouping->processes = calloc(threads->n_threads + 1, sizeof(*grouping->processes));
	by_pid = calloc((size_t)most + 1, sizeof(*by_pid));
	if (!next || !by_pid || !grouping->processes_of || !grouping->processes)
		return -ENOMEM;
	for (size_t i = threads->n_threads; i-- > 0;) {
		const struct timeline_thread *thread = &threads->threads[i];

		if (thread->tid != thread->pid)
			continue;
		next[i] = by_pid[thread->pid] ? threads->threads[by_pid[thread->pid] - 1].begin : UINT64_MAX;
		by_pid[thread->pid] = (uint32_t)i + 1;
	}
	memset(by_pid, 0, ((size_t)most + 1) * sizeof(*by_pid));
	for (uint32_t i = 0; i < threads->n_threads; i++) {
		const struct timeline_thread *thread = &threads->threads[i];
		uint32_t leader = by_pid[thread->pid];

		if (thread->tid == thread->pid || leader == 0) {
			grouping->processes_of[i] = i;
			find_birth(grouping, i, next[i] ? next[i] : UINT64_MAX);
			by_pid[thread->pid] = i + 1;
		} else {
			grouping->processes_of[i] = leader - 1;
		}
	}
	return 0;
}

/* Which unit each span belongs to: runs of spans of one thread in one unit. */
static int find_stays(struct grouping *grouping)
{
	const struct timeline *threads = grouping->threads;
	size_t at = 0;

	grouping->stays = calloc(threads->n_spans + 1, sizeof(*grouping->stays));
	grouping->drafts = calloc(threads->n_spans + 1, sizeof(*grouping->drafts));
	grouping->stay_units = calloc(threads->n_spans + 1, sizeof(*grouping->stay_units));
	if (!grouping->stays || !grouping->drafts || !grouping->stay_units)
		return -ENOMEM;
	for (size_t i = 0; i < threads->n_spans; i++) {
		const struct timeline_span *span = &threads->spans[i];
		uint32_t number = unit_at(grouping, grouping->processes_of[span->thread], span->begin);
		struct timeline_stay *last =
			grouping->n_stays ? &grouping->drafts[grouping->n_stays - 1] : NULL;
		struct unit *unit = &grouping->units[number];

		if (last && grouping->stay_units[grouping->n_stays - 1] == number &&
			threads->spans[last->first].thread == span->thread) {
			last->n++;
			continue;
		}
		grouping->stay_units[grouping->n_stays] = number;
		grouping->drafts[grouping->n_stays++] = (struct timeline_stay){.first = i, .n = 1};
		unit->n_stays++;
		unit->begin = span->begin < unit->begin ? span->begin : unit->begin;
	}
	for (size_t i = 0; i < grouping->n_units; i++) {
		grouping->units[i].stays_at = at;
		at += grouping->units[i].n_stays;
		grouping->units[i].n_stays = 0;
	}
	for (size_t i = 0; i < grouping->n_stays; i++) {
		struct unit *unit = &grouping->units[grouping->stay_units[i]];

		grouping->stays[unit->stays_at + unit->n_stays++] = grouping->drafts[i];
	}
	return 0;
}

/* The file in the new timeline. */
static int keep_file(struct grouping *grouping, uint32_t file, uint32_t *ret)
{
	int r = 0;

	if (file != TIMELINE_NONE && grouping->files[file] == TIMELINE_NONE) {
		const struct timeline_file *kept = &grouping->threads->files[file];

		grouping->files[file] = (uint32_t)grouping->into->n_files;
		r = timeline_add_file(grouping->into, kept->kind, kept->pages, kept->path);
	}
	*ret = file == TIMELINE_NONE ? TIMELINE_NONE : grouping->files[file];
	return r;
}

static int keep_files_and_reads(struct grouping *grouping)
{
	const struct timeline *threads = grouping->threads;
	int r = 0;

	grouping->files = calloc(threads->n_files + 1, sizeof(*grouping->files));
	if (!grouping->files)
		return -ENOMEM;
	for (size_t i = 0; i < threads->n_files; i++)
		grouping->files[i] = TIMELINE_NONE;
	for (size_t i = 0; r == 0 && i < threads->n_reads; i++) {
		struct timeline_read read = threads->reads[i];

		read.thread =
			grouping->units[unit_at(grouping, grouping->processes_of[read.thread], read.begin)]
				.row;
		r = keep_file(grouping, read.file, &read.file);
		if (r == 0)
			r = timeline_add_read(grouping->into, &read);
	}
	return r;
}

/* What the unit does next. */
static int add_piece(void *context, uint64_t begin, uint64_t end, size_t at)
{
	struct grouping *grouping = context;
	struct timeline *into = grouping->into;
	struct timeline_span span = {.begin = begin,
		.end = end,
		.thread = grouping->row,
		.state = TIMELINE_OTHER,
		.file = TIMELINE_NONE,
		.read = TIMELINE_NONE,
		.note = TIMELINE_NONE,
		.waker = TIMELINE_NONE};
	struct timeline_span *last = into->n_spans ? &into->spans[into->n_spans - 1] : NULL;
	int r = 0;

	if (at != NOTHING) {
		const struct timeline_span *cause = &grouping->threads->spans[at];

		span.state = cause->state;
		span.read = cause->state == TIMELINE_READ ? cause->read : TIMELINE_NONE;
		if (cause->state == TIMELINE_READ)
			r = keep_file(grouping, cause->file, &span.file);
	}
	if (r < 0)
		return r;
	into->threads[grouping->row].end = end;
	if (last && last->thread == grouping->row &&
		((last->state == span.state && last->file == span.file && last->read == span.read) ||
			(last->state != TIMELINE_READ && span.state != TIMELINE_READ &&
				end - begin < FINEST))) {
		last->end = end;
		return 0;
	}
	return timeline_add_span(into, &span);
}

static const struct timeline_said *find_said(const struct timeline_boot *boot, const char *name)
{
	for (size_t i = 0; i < boot->n_said; i++)
		if (streq(boot->said[i].unit, name))
			return &boot->said[i];
	return NULL;
}

/* A time that systemd has said: TIMELINE_NEVER if it lies after the end. */
static uint64_t moment_of(const struct grouping *grouping, uint64_t time)
{
	uint64_t since_began = since(grouping, time);

	return time == TIMELINE_NEVER || since_began > grouping->threads->duration ? TIMELINE_NEVER
										   : since_began;
}

static int add_row(struct grouping *grouping, const char *name, uint64_t begin)
{
	const struct timeline_said *said = find_said(grouping->boot, name);
	const int32_t number = (int32_t)grouping->into->n_threads + 1;
	const struct timeline_thread row = {
		.begin = begin, .end = begin, .tid = number, .pid = number, .parent = TIMELINE_NONE};
	struct timeline_unit unit = {TIMELINE_NEVER, TIMELINE_NEVER};
	int r = timeline_add_thread(grouping->into, &row, name);

	if (said) {
		unit.started = moment_of(grouping, said->started);
		unit.active = moment_of(grouping, said->active);
	}
	if (unit.active != TIMELINE_NEVER && unit.started != TIMELINE_NEVER && unit.active < unit.started)
		unit.active = TIMELINE_NEVER; /* it is being started anew */
	return r < 0 ? r : timeline_add_unit(grouping->into, &unit);
}

static int compare_units(const void *a, const void *b)
{
	const struct unit *x = *(struct unit *const *)a, *y = *(struct unit *const *)b;

	if (x->begin != y->begin)
		return x->begin > y->begin ? 1 : -1;
	return (x > y) - (x < y);
}

static int add_rows(struct grouping *grouping)
{
	_cleanup_free_ struct unit **order = calloc(grouping->n_units + 1, sizeof(*order));
	size_t n = 0;
	int r = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < grouping->n_units; i++)
		if (grouping->units[i].begin != NO_STAYS)
			order[n++] = &grouping->units[i];
	qsort(order, n, sizeof(*order), compare_units);
	for (size_t i = 0; r == 0 && i < n; i++) {
		order[i]->row = (uint32_t)i;
		r = add_row(grouping, order[i]->name, order[i]->begin);
	}
	if (r == 0 && n == 0)
		r = add_row(grouping, NO_UNIT, 0);
	if (r == 0)
		r = keep_files_and_reads(grouping);
	for (size_t i = 0; r == 0 && i < n; i++) {
		grouping->row = (uint32_t)i;
		r = timeline_causes_each(grouping->threads, grouping->stays + order[i]->stays_at,
			order[i]->n_stays, add_piece, grouping);
	}
	return r;
}

static int compare_marks(const void *a, const void *b)
{
	const struct timeline_mark *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

static int add_marks(struct grouping *grouping)
{
	const struct timeline_boot *boot = grouping->boot;
	struct timeline *into = grouping->into;
	int r = 0;

	for (size_t i = 0; r == 0 && i < boot->n_said && into->n_marks < TIMELINE_UNITS_MAX; i++) {
		uint64_t time = moment_of(grouping, boot->said[i].active);

		if (ends_with(boot->said[i].unit, ".target") && time != TIMELINE_NEVER &&
			boot->said[i].active > boot->began)
			r = timeline_add_mark(into, time, boot->said[i].unit);
	}
	for (size_t i = 0; r == 0 && i < grouping->threads->n_marks; i++)
		r = timeline_add_mark(
			into, grouping->threads->marks[i].time, grouping->threads->marks[i].name);
	if (into->n_marks > 1)
		qsort(into->marks, into->n_marks, sizeof(*into->marks), compare_marks);
	return r;
}

static int copy_text(char **to, const char *text)
{
	*to = text ? strdup(text) : NULL;
	return text && !*to ? -ENOMEM : 0;
}

static int describe(const struct timeline *threads, struct timeline *into)
{
	into->recorded = threads->recorded;
	into->duration = threads->duration;
	into->page_size = threads->page_size;
	into->lost = threads->lost;
	return copy_text(&into->command, threads->command) < 0 ||
			copy_text(&into->program, threads->program) < 0 ||
			copy_text(&into->kernel, threads->kernel) < 0 ||
			copy_text(&into->ended_by, threads->ended_by) < 0
		? -ENOMEM
		: 0;
}

int timeline_of_units(const struct timeline *threads, struct timeline_boot *boot, struct timeline *ret)
{
	_cleanup_(timeline_releasep) struct timeline into = {0};
	_cleanup_(grouping_release) struct grouping grouping = {
		.threads = threads, .boot = boot, .into = &into};
	int r = describe(threads, &into);

	if (r == 0)
		r = name_units(&grouping);
	if (r == 0)
		r = find_processes(&grouping);
	if (r == 0)
		r = find_stays(&grouping);
	if (r == 0)
		r = add_rows(&grouping);
	if (r == 0)
		r = add_marks(&grouping);
	if (r < 0)
		return r;
	*ret = into;
	into = (struct timeline){0};
	return 0;
}
