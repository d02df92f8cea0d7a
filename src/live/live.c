/* SPDX-License-Identifier: MIT */
#include "live/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"

#define PROCESSES_MAX 4096u /* of which ended ones are kept */
#define FILES_MAX     4096u
#define DEPTH_MAX     16u
#define NONE          SIZE_MAX

void live_turn(struct live *live, uint64_t now)
{
	live->now = now;
	live->turns++;
	live->recent = live->recently_waited = live->recent_reads = 0;
	live->reading = NULL;
	for (size_t i = 0; i < live->n_files; i++)
		live->files[i].recent = live->files[i].recently_waited = 0;
}

static void forget_pids(struct live *live)
{
	inode_map_release(&live->by_pid);
	live->indexed = 0;
}

static int find_process(struct live *live, int32_t pid, size_t *ret)
{
	for (int r; live->indexed < live->n_processes; live->indexed++) {
		const struct live_process *process = &live->processes[live->indexed];

		r = process->ended ? 0
				   : inode_map_add(&live->by_pid, 0, (uint64_t)process->pid, live->indexed);
		if (r < 0)
			return r;
	}
	*ret = inode_map_find(&live->by_pid, 0, (uint64_t)pid);
	if (*ret == INODE_MAP_NONE || !live->processes[*ret].ended)
		return 0;
	forget_pids(live); /* some have ended since, and their numbers are used again */
	return find_process(live, pid, ret);
}

struct live_process *live_process(struct live *live, int32_t pid, int32_t parent)
{
	size_t known;

	if (find_process(live, pid, &known) < 0)
		return NULL;
	if (known != INODE_MAP_NONE)
		return &live->processes[known];
	if (ARRAY_RESERVE(live->processes, live->processes_capacity, live->n_processes + 1) < 0)
		return NULL;
	live->processes[live->n_processes] =
		(struct live_process){.pid = pid, .parent = parent, .state = TIMELINE_RUNNABLE};
	return &live->processes[live->n_processes++];
}

struct live_file *live_file(struct live *live, const char *path, bool metadata)
{
	ssize_t known =
		string_index_find(&live->by_path, live->files, sizeof(*live->files), live->n_files, path);
	char *copy;

	if (known == -ENOMEM)
		return NULL;
	/* A disk can be read as a file, too. */
	for (size_t i = known < 0 ? live->n_files : (size_t)known; i < live->n_files; i++)
		if (live->files[i].metadata == metadata && streq(live->files[i].path, path))
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
	/* The file that somebody waits for stays, however long that takes. */
	for (size_t i = FILES_MAX; i < live->n_files; i++)
		if (live->files[i].path == live->reading) {
			struct live_file last = live->files[FILES_MAX - 1];

			live->files[FILES_MAX - 1] = live->files[i];
			live->files[i] = last;
		}
	while (live->n_files > FILES_MAX)
		free(live->files[--live->n_files].path);
	string_index_release(&live->by_path);
}

/* The place of a process in the tree. */
struct node {
	size_t child, next; /* the first of its children, and the next one of its parent; NONE */
	bool has_parent, taken;
};

static int make_tree(const struct live *live, struct node *nodes)
{
	_cleanup_(inode_map_releasep) struct inode_map first = {0}; /* of each number */
	int r = 0;

	for (size_t i = 0; r == 0 && i < live->n_processes; i++) {
		nodes[i] = (struct node){.child = NONE, .next = NONE};
		r = inode_map_add(&first, 0, (uint64_t)live->processes[i].pid, i);
	}
	for (size_t i = live->n_processes; r == 0 && i-- > 0;) {
		size_t parent = inode_map_find(&first, 0, (uint64_t)live->processes[i].parent);

		if (parent == INODE_MAP_NONE || parent == i)
			continue;
		nodes[i].has_parent = true;
		nodes[i].next = nodes[parent].child;
		nodes[parent].child = i;
	}
	return r;
}

/* Appends the process to `sorted`, and everything that it has started. */
static void take_below(const struct live *live, struct node *nodes, size_t index, unsigned depth,
	struct live_process *sorted, size_t *n)
{
	nodes[index].taken = true;
	sorted[*n] = live->processes[index];
	sorted[(*n)++].depth = depth;
	for (size_t i = nodes[index].child; i != NONE && depth < DEPTH_MAX; i = nodes[i].next)
		if (!nodes[i].taken)
			take_below(live, nodes, i, depth + 1, sorted, n);
}

static void sort_processes(struct live *live)
{
	_cleanup_free_ struct live_process *sorted = calloc(live->n_processes + 1, sizeof(*sorted));
	_cleanup_free_ struct node *nodes = calloc(live->n_processes + 1, sizeof(*nodes));
	struct live_process *before = live->processes;
	size_t n = 0;

	if (!sorted || !nodes || make_tree(live, nodes) < 0)
		return;
	for (size_t i = 0; i < live->n_processes; i++)
		if (!nodes[i].has_parent)
			take_below(live, nodes, i, 0, sorted, &n);
	/* What is too deep, and processes that would be each other's parents. */
	for (size_t i = 0; i < live->n_processes; i++)
		if (!nodes[i].taken)
			take_below(live, nodes, i, 0, sorted, &n);
	live->processes = sorted;
	live->processes_capacity = n + 1;
	sorted = before;
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
	forget_pids(live);
}

void live_release(struct live *live)
{
	for (size_t i = 0; i < live->n_files; i++)
		free(live->files[i].path);
	free(live->files);
	free(live->processes);
	string_index_release(&live->by_path);
	forget_pids(live);
	*live = (struct live){0};
}
