/* SPDX-License-Identifier: MIT */
/*
 * The order in which files are opened and extents read.
 *
 *     rotational    files by inode number (neighbours share blocks of the inode table), extents by place
 *     otherwise     both by first touch, but folders and links of a path come before the files they lead to;
 *                   in front of all extents, those that only have blocks fetched (blocks.c)
 *
 * For a rotational disk, a snapshot of memory has its folders before everything else, level by level: their blocks lie
 * together, far from the inodes. If a file were opened before its neighbours' folders, the head would go to and fro
 * between the two for each folder of a tree. A start has a few dozen folders, for which that makes no difference.
 *
 * If a plan has files on several devices, those on devices that are not rotational come first, because their reads take
 * no seek. The other devices each still see their own order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "format/plan-view.h"
#include "plan/build/draft.h"

/* Folders and links of the draft, by path. */
struct path_entry {
	const char *path;
	uint32_t file;
};

/* The new order of the files, as it grows. */
struct placement {
	uint32_t *order; /* old indices in their new order */
	uint32_t *place; /* old index -> new index; UINT32_MAX while it has none */
	size_t count;
};

static void place(struct placement *placement, uint32_t file)
{
	if (placement->place[file] != UINT32_MAX)
		return;
	placement->place[file] = (uint32_t)placement->count;
	placement->order[placement->count++] = file;
}

static int compare_entries(const void *a, const void *b)
{
	return strcmp(((const struct path_entry *)a)->path, ((const struct path_entry *)b)->path);
}

/* Compares the first `length` characters of a path with an entry, like strcmp() without a copy. */
struct path_prefix {
	const char *path;
	size_t length;
};

static int compare_prefix(const void *key, const void *item)
{
	const struct path_prefix *prefix = key;
	const struct path_entry *entry = item;
	int difference = strncmp(prefix->path, entry->path, prefix->length);

	return difference ? difference : -(entry->path[prefix->length] != '\0');
}

static void place_ancestors(
	struct placement *placement, const struct path_entry *entries, size_t n_entries, const char *path)
{
	for (size_t length = 1; path[length]; length++) {
		struct path_prefix prefix = {path, length};
		const struct path_entry *found;

		if (path[length] != '/' && length != 1)
			continue;
		found = bsearch(&prefix, entries, n_entries, sizeof(*entries), compare_prefix);
		if (found)
			place(placement, found->file);
	}
}

static int place_by_touch(const struct plan_draft *draft, struct placement *placement)
{
	_cleanup_free_ struct path_entry *entries = calloc(draft->n_files, sizeof(*entries));
	size_t n = 0;

	if (!entries)
		return -ENOMEM;
	for (size_t i = 0; i < draft->n_files; i++)
		if (draft->files[i].source->kind != PROFILE_REGULAR)
			entries[n++] = (struct path_entry){draft->files[i].source->path, (uint32_t)i};
	qsort(entries, n, sizeof(*entries), compare_entries);
	for (size_t i = 0; i < draft->n_files; i++) {
		place_ancestors(placement, entries, n, draft->files[i].source->path);
		place(placement, (uint32_t)i);
	}
	return 0;
}

/* What files are sorted by for a rotational device. */
struct inode_entry {
	uint32_t turns; /* whether the device is rotational */
	uint32_t device;
	uint32_t level; /* of a folder of a snapshot: 0 is the root; UINT32_MAX of everything else */
	uint64_t inode;
	uint32_t file;
};

static uint32_t level_of(const struct plan_draft *draft, const struct draft_file *file)
{
	if (!draft->snapshot || file->source->kind != PROFILE_DIRECTORY)
		return UINT32_MAX;
	return plan_path_level(file->source->path);
}

static int compare_inodes(const void *a, const void *b)
{
	const struct inode_entry *x = a, *y = b;

	if (x->turns != y->turns)
		return x->turns < y->turns ? -1 : 1;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return (x->file > y->file) - (x->file < y->file);
}

static int place_by_inode(const struct plan_draft *draft, struct placement *placement)
{
	_cleanup_free_ struct inode_entry *entries = calloc(draft->n_files, sizeof(*entries));

	if (!entries)
		return -ENOMEM;
	for (size_t i = 0; i < draft->n_files; i++) {
		const struct draft_file *file = &draft->files[i];

		entries[i] = (struct inode_entry){
			.turns = draft_file_device(draft, (uint32_t)i)->class == DEVICE_ROTATIONAL,
			.device = file->device,
			.level = level_of(draft, file),
			.inode = file->inode,
			.file = (uint32_t)i,
		};
	}
	qsort(entries, draft->n_files, sizeof(*entries), compare_inodes);
	for (size_t i = 0; i < draft->n_files; i++)
		place(placement, entries[i].file);
	return 0;
}

/* Gives files, extents and probes their new numbers. */
static int renumber(struct plan_draft *draft, const struct placement *placement)
{
	_cleanup_free_ struct draft_file *files = calloc(draft->n_files, sizeof(*files));

	if (!files)
		return -ENOMEM;
	for (size_t i = 0; i < draft->n_files; i++)
		files[i] = draft->files[placement->order[i]];
	memcpy(draft->files, files, draft->n_files * sizeof(*files));
	for (size_t i = 0; i < draft->n_extents; i++)
		draft->extents[i].file = placement->place[draft->extents[i].file];
	for (size_t i = 0; i < draft->n_probes; i++)
		draft->probes[i].file = placement->place[draft->probes[i].file];
	return 0;
}

static int sort_files(struct plan_draft *draft)
{
	_cleanup_free_ uint32_t *order = calloc(draft->n_files, sizeof(*order));
	_cleanup_free_ uint32_t *where = calloc(draft->n_files, sizeof(*where));
	struct placement placement = {.order = order, .place = where};
	int r;

	if (!order || !where)
		return -ENOMEM;
	for (size_t i = 0; i < draft->n_files; i++)
		where[i] = UINT32_MAX;
	r = draft->device == DEVICE_ROTATIONAL ? place_by_inode(draft, &placement)
					       : place_by_touch(draft, &placement);
	return r < 0 ? r : renumber(draft, &placement);
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_extents(const void *a, const void *b, void *context)
{
	const struct draft_extent *x = a, *y = b;
	const struct plan_draft *draft = context;
	bool x_turns = draft_file_device(draft, x->file)->class == DEVICE_ROTATIONAL;
	bool y_turns = draft_file_device(draft, y->file)->class == DEVICE_ROTATIONAL;
	int difference = x_turns - y_turns;

	if (!difference && x_turns)
		difference = compare_u64(draft->files[x->file].device, draft->files[y->file].device);
	if (!difference && x_turns)
		difference = compare_u64(x->physical, y->physical);
	if (!difference && !x_turns)
		difference = y->touch - x->touch;
	if (!difference && !x_turns)
		difference = compare_u64(x->order, y->order);
	if (!difference)
		difference = compare_u64(x->file, y->file);
	return difference ? difference : compare_u64(x->page, y->page);
}

int draft_sort(struct plan_draft *draft)
{
	int r = draft->n_files > 0 ? sort_files(draft) : 0;

	if (r < 0)
		return r;
	if (draft->n_extents > 0)
		qsort_r(draft->extents, draft->n_extents, sizeof(*draft->extents), compare_extents, draft);
	return 0;
}
