/* SPDX-License-Identifier: MIT */
#include "live/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strings.h"

#define PROCESSES_MAX 4096u /* of which ended ones are kept */
#define FILES_MAX     4096u
#define DEPTH_MAX     16u

void live_turn(struct live *live, uint64_t now)
{
	live->now = now;
	live->turns++;
	live->recent = live->recently_waited = live->recent_reads = 0;
	live->reading = NULL;
	for (size_t i = 0; i < live->n_files; i++)
		live->files[i].recent = live->files[i].recently_waited = 0;
}

struct live_process *live_process(struct live *live, int32_t pid, int32_t parent)
{
	for (size_t i = 0; i < live->n_processes; i++)
		if (live->processes[i].pid == pid && !live->processes[i].ended)
			return &live->processes[i];
	if (ARRAY_RESERVE(live->processes, live->processes_capacity, live->n_processes + 1) < 0)
		return NULL;
	live->processes[live->n_processes] =
		(struct live_process){.pid = pid, .parent = parent, .state = TIMELINE_RUNNABLE};
	return &live->processes[live->n_processes++];
}

struct live_file *live_file(struct live *live, const char *path, bool metadata)
{
	char *copy;

	for (size_t i = 0; i < live->n_files; i++)
		if (streq(live->files[i].path, path) && live->files[i].metadata == metadata)
			return &live->files[i];
	if (ARRAY_RESERVE(live->files, live->files_capacity, live->n_files + 1) < 0)
		return NULL;
	copy = strdup(path);
	if (!copy)
		return NULL;
	live->files[live->n_files] = (struct live_file){.path = copy, .metadata = metadata};
	return &live->files[live->n_files++];
}

void live_add_bytes(struct live *live, struct live_file *file, uint64_t bytes, int32_t pid)
{
	file->bytes += bytes;
	file->recent += bytes;
	file->reads++;
	file->pid = pid;
	live->bytes += bytes;
	live->recent += bytes;
	live->reads++;
	live->recent_reads++;
}

void live_add_wait(struct live *live, struct live_file *file, uint64_t nanoseconds)
{
	live->waited += nanoseconds;
	live->recently_waited += nanoseconds;
	if (!file)
		return;
	file->waited += nanoseconds;
	file->recently_waited += nanoseconds;
}

static int compare_files(const void *a, const void *b)
{
	const struct live_file *x = a, *y = b;

	if (x->recent != y->recent)
		return x->recent < y->recent ? 1 : -1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return strcmp(x->path, y->path);
}

static void sort_files(struct live *live)
{
	if (live->n_files > 1)
		qsort(live->files, live->n_files, sizeof(*live->files), compare_files);
	while (live->n_files > FILES_MAX && live->files[live->n_files - 1].path != live->reading)
		free(live->files[--live->n_files].path);
}

static size_t find_parent(const struct live *live, const struct live_process *child)
{
	for (size_t i = 0; i < live->n_processes; i++)
		if (live->processes[i].pid == child->parent && &live->processes[i] != child)
			return i;
	return SIZE_MAX;
}

/* Appends the process to `sorted`, and everything that it has started. */
static void take_below(
	struct live *live, size_t index, unsigned depth, struct live_process *sorted, size_t *n, bool *taken)
{
	int32_t pid = live->processes[index].pid;

	taken[index] = true;
	sorted[*n] = live->processes[index];
	sorted[(*n)++].depth = depth < DEPTH_MAX ? depth : DEPTH_MAX;
	for (size_t i = 0; i < live->n_processes && depth < DEPTH_MAX; i++)
		if (!taken[i] && live->processes[i].parent == pid)
			take_below(live, i, depth + 1, sorted, n, taken);
}

static void sort_processes(struct live *live)
{
	struct live_process *sorted = calloc(live->n_processes + 1, sizeof(*sorted));
	bool *taken = calloc(live->n_processes + 1, sizeof(*taken));
	size_t n = 0;

	for (size_t i = 0; sorted && taken && i < live->n_processes; i++)
		if (!taken[i] && find_parent(live, &live->processes[i]) == SIZE_MAX)
			take_below(live, i, 0, sorted, &n, taken);
	for (size_t i = 0; sorted && taken && i < live->n_processes; i++)
		if (!taken[i])
			take_below(live, i, 0, sorted, &n, taken);
	free(taken);
	if (n == live->n_processes && sorted) {
		free(live->processes);
		live->processes = sorted;
		live->processes_capacity = n + 1;
	} else {
		free(sorted);
	}
}

static void forget_ended(struct live *live)
{
	size_t kept = 0;

	if (live->n_processes <= PROCESSES_MAX)
		return;
	for (size_t i = 0; i < live->n_processes; i++)
		if (!live->processes[i].ended)
			live->processes[kept++] = live->processes[i];
	live->n_processes = kept;
}

void live_sort(struct live *live)
{
	sort_files(live);
	forget_ended(live);
	sort_processes(live);
}

void live_release(struct live *live)
{
	for (size_t i = 0; i < live->n_files; i++)
		free(live->files[i].path);
	free(live->files);
	free(live->processes);
	*live = (struct live){0};
}
