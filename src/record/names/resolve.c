/* SPDX-License-Identifier: MIT */
/* Looks at files and programs after the recording, when this can disturb nothing. */
#include "record/names/resolve.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/inode-map.h"
#include "base/paths/mountinfo.h"
#include "base/paths/stranger.h"
#include "base/strings.h"
#include "record/names/links.h"

#define RESIDENCY_PAGES_MAX (16u << 20) /* of all files, 64 GiB: each page takes a byte */

/* The kinds of events that decide what is looked up about a file. */
enum { HAS_EVENTS = 1, HAS_MAPPED = 2 };

static void drop_file(struct record_file *file)
{
	free(file->path);
	free(file->resident);
	*file = (struct record_file){0};
}

/* Closes the gaps that dropped files have left. */
static void compact(struct record_files *files)
{
	size_t kept = 0;

	for (size_t i = 0; i < files->count; i++)
		if (files->items[i].path)
			files->items[kept++] = files->items[i];
	files->count = kept;
}

/* Two subvolumes of a btrfs can have inodes of the same number, and the kernel's events do not name the subvolume. */
static int mark_ambiguous(struct record_files *files, struct inode_map *map)
{
	for (size_t i = 0; i < files->count; i++) {
		struct record_file *file = &files->items[i];
		size_t other;
		int r;

		if (file->kind != PROFILE_REGULAR)
			continue;
		other = inode_map_find(map, file->device, file->inode);
		if (other != INODE_MAP_NONE && files->items[other].st_dev != file->st_dev)
			file->ambiguous = files->items[other].ambiguous = true;
		r = inode_map_add(map, file->device, file->inode, i);
		if (r < 0)
			return r;
	}
	return 0;
}

static void look_up_residency(struct record_file *file, size_t page_size, uint64_t *budget)
{
	_cleanup_close_ int fd = -1;
	void *map;

	if (!file->pages || file->pages > *budget)
		return;
	fd = open_regular(file->path, OPEN_NO_LINKS | OPEN_NO_ATIME);
	if (fd < 0)
		return;
	map = mmap(NULL, file->pages * page_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return;
	*budget -= file->pages;
	file->resident = calloc(1, file->pages);
	if (file->resident && mincore(map, file->pages * page_size, file->resident) < 0) {
		free(file->resident);
		file->resident = NULL;
	}
	munmap(map, file->pages * page_size);
}

/*
 * Returns a bit mask for each file: the kinds of events about it. The first event also gives the time of opening more
 * exactly than fanotify, which is read later.
 */
static uint8_t *gather_event_kinds(
	struct record_files *files, const struct record_trace *trace, const struct inode_map *map)
{
	uint8_t *kinds = calloc(files->count + 1, 1);

	for (size_t i = 0; kinds && i < trace->n_events; i++) {
		const struct record_event *event = &trace->events[i];
		size_t index = inode_map_find(map, event->device, event->inode);

		if (index == INODE_MAP_NONE)
			index = inode_map_find(map, 0, event->inode);
		if (index == INODE_MAP_NONE)
			continue;
		kinds[index] |= event->kind == RECORD_MAPPED ? HAS_EVENTS | HAS_MAPPED : HAS_EVENTS;
		if (event->time < files->items[index].opened)
			files->items[index].opened = event->time;
	}
	return kinds;
}

int resolve_files(struct record_files *files, const struct record_trace *trace, const char *unasked)
{
	_cleanup_(inode_map_releasep) struct inode_map map = {0};
	_cleanup_free_ uint8_t *kinds = NULL;
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t budget = RESIDENCY_PAGES_MAX;
	int r;

	for (size_t i = 0; i < files->count; i++) {
		struct record_file *file = &files->items[i];
		struct stat status;

		if (file->own)
			continue;
		if ((unasked && mountinfo_is_below(unasked, file->path)) || lstat(file->path, &status) < 0 ||
			status.st_ino != file->inode || status.st_dev != file->st_dev)
			drop_file(file);
		else if (file->kind == PROFILE_REGULAR)
			file->pages = ((uint64_t)status.st_size + page_size - 1) / page_size;
		if (file->pages > UINT32_MAX)
			file->pages = UINT32_MAX;
	}
	compact(files);
	r = mark_ambiguous(files, &map);
	if (r < 0)
		return r;
	kinds = gather_event_kinds(files, trace, &map);
	if (!kinds)
		return -ENOMEM;
	for (size_t i = 0; i < files->count; i++) {
		if (kinds[i] & HAS_MAPPED && !files->items[i].own)
			look_up_residency(&files->items[i], page_size, &budget);
		/* Skips a file that others opened and the tree did not touch. */
		if (!kinds[i] && !files->items[i].by_tree)
			drop_file(&files->items[i]);
	}
	compact(files);
	return 0;
}

struct link_search {
	struct record_files *files;
	uint64_t opened; /* when the start must have passed the link */
};

static int add_link(void *context, const char *path)
{
	const struct link_search *search = context;
	struct record_file *file;
	int r;

	for (size_t i = 0; i < search->files->count; i++) {
		file = &search->files->items[i];
		if (file->kind != PROFILE_SYMLINK || !streq(file->path, path))
			continue;
		if (search->opened < file->opened)
			file->opened = search->opened;
		return 0;
	}
	r = record_files_add(search->files, &file);
	if (r < 0)
		return r;
	file->kind = PROFILE_SYMLINK;
	file->opened = search->opened;
	file->by_tree = true;
	file->path = strdup(path);
	if (file->path)
		return 0;
	search->files->count--;
	return -ENOMEM;
}

/* The path of a program whose name does not lead to it: of the files with that last part, the one opened last. */
static char *find_opened(const struct record_files *files, const struct record_exec *exec)
{
	const char *slash = strrchr(exec->path, '/'), *name = slash ? slash + 1 : exec->path;
	const struct record_file *best = NULL;

	for (size_t i = 0; i < files->count; i++) {
		const struct record_file *file = &files->items[i];

		if (file->kind != PROFILE_REGULAR || !file->by_tree || file->opened > exec->time ||
			!streq(strrchr(file->path, '/') + 1, name))
			continue;
		if (!best || file->opened > best->opened)
			best = file;
	}
	return best ? strdup(best->path) : NULL;
}

static const struct record_file *find_named(const struct record_files *files, const char *path)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->items[i].kind == PROFILE_REGULAR && streq(files->items[i].path, path))
			return &files->items[i];
	return NULL;
}

/*
 * The kernel opens a program to run it, so the name must lead to one of the opened files. A name from another root
 * leads elsewhere here, and /proc/self/exe to ourselves.
 */
static int resolve_program(struct record_exec *exec, struct record_files *files, bool careful)
{
	struct stranger stranger;
	bool ours = exec->path[0] == '/' && strncmp(exec->path, "/proc/", strlen("/proc/")) != 0 &&
		!(careful && stranger_find_unasked(exec->path, &stranger) < 0);
	char *real = ours ? realpath(exec->path, NULL) : NULL;
	const struct record_file *file = real ? find_named(files, real) : NULL;
	int r = 0;

	if (file) {
		struct link_search search = {.files = files, .opened = file->opened};

		r = links_on_path(exec->path, add_link, &search);
	} else {
		free(real);
		real = find_opened(files, exec);
	}
	free(exec->path);
	exec->path = real;
	return r == -ENOMEM ? r : 0;
}

int resolve_programs(struct record_trace *trace, struct record_files *files, bool careful)
{
	size_t kept = 0, n_opened = files->count;
	int r = 0;

	for (size_t i = 0; r == 0 && i < trace->n_execs; i++)
		r = resolve_program(&trace->execs[i], files, careful);
	for (size_t i = 0; i < trace->n_execs; i++)
		if (trace->execs[i].path)
			trace->execs[kept++] = trace->execs[i];
	trace->n_execs = kept;
	for (size_t i = 0; r == 0 && i < n_opened; i++) {
		struct link_search search = {.files = files, .opened = files->items[i].opened};

		if (files->items[i].kind == PROFILE_REGULAR && !files->items[i].own &&
			links_of_file(files->items[i].path, careful, add_link, &search) == -ENOMEM)
			r = -ENOMEM;
	}
	return r;
}
