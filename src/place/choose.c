/* SPDX-License-Identifier: MIT */
/* Which pages are moved: ways to choose them, tried on the cost model. */
#include "place/choose.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "place/code.h"

#define HEAD_PAGES 4u /* of a relaid file, which the loader reads before all else */

/* A way to choose pages of a file that is neither small nor relaid. */
struct way {
	const char *words;
	bool pages;      /* some pages; else none */
	bool whole;      /* all of them */
	uint32_t margin; /* pages before those that are touched, */
	uint32_t behind; /* and behind them */
	uint32_t gap;    /* pages between them at most that move with them */
};

/*
 * Half of what the kernel reads around a fault lies on each side: 16 pages of 4 KiB with its default of read_ahead_kb. It
 * reads on behind that if these pages are touched. Where a fault in code reads only what follows (base/code-faults.h), as many pages
 * move, and those of the half before lie behind.
 */
static const struct way ways[] = {
	{"small files and what relayout has appended", .pages = false, .margin = 16},
	{"touched pages", .pages = true, .gap = 16},
	{"touched pages, and 64 KiB around them", .pages = true, .margin = 8, .behind = 8, .gap = 16},
	{"touched pages, and 128 KiB around them", .pages = true, .margin = 16, .behind = 16, .gap = 16},
	{"touched pages, and 256 KiB around them, most of it behind", .pages = true, .margin = 16,
		.behind = 48, .gap = 32},
	{"touched pages, and 576 KiB around them, most of it behind", .pages = true, .margin = 16,
		.behind = 128, .gap = 64},
	{"whole files", .pages = true, .whole = true},
};

static bool reads_on(const struct place_disk *disk, const struct place_file *file, uint64_t page)
{
	return disk->code_reads_on && place_code_at(&file->code, page);
}

static int add_hot(const struct place_disk *disk, const struct place_file *file, const struct way *way,
	struct place_runs *ret)
{
	uint64_t end = place_file_pages(file, disk->page_size);

	for (size_t i = 0; i < file->hot.n; i++) {
		uint64_t from = file->hot.items[i].page, to = from + file->hot.items[i].pages;
		uint64_t before = reads_on(disk, file, from) ? 0 : way->margin;
		uint64_t behind = way->behind + (reads_on(disk, file, to - 1) ? way->margin : 0);
		int r;

		from = from > before ? from - before : 0;
		to = to + behind < end ? to + behind : end;
		r = from < to ? place_runs_add(ret, from, to - from) : 0;
		if (r < 0)
			return r;
	}
	place_runs_join(ret, way->gap);
	return 0;
}

/* The runs of a file that this way would have in the area. */
static int wanted(const struct place_disk *disk, const struct place_file *file, const struct way *way,
	struct place_runs *ret)
{
	uint64_t pages = place_file_pages(file, disk->page_size);

	if (file->hot.n == 0)
		return 0;
	if (file->size <= PLACE_SMALL || (way->whole && !file->appended))
		return place_runs_add(ret, 0, pages);
	if (file->appended) {
		uint64_t from = file->appended / disk->page_size;
		int r = place_runs_add(ret, 0, from < HEAD_PAGES ? from : HEAD_PAGES);

		from = from > way->margin ? from - way->margin : 0;
		r = r < 0 ? r : place_runs_add(ret, from, pages - from);
		place_runs_join(ret, 0);
		return r;
	}
	return way->pages ? add_hot(disk, file, way, ret) : 0;
}

static int choose_file(struct place_disk *disk, struct place_file *file, const struct way *way)
{
	_cleanup_(place_runs_releasep) struct place_runs all = {0}, rest = {0};
	int r = wanted(disk, file, way, &all);

	file->moved.n = 0;
	if (r == 0)
		r = place_runs_without(&all, &file->placed, &rest);
	return r < 0
		? r
		: place_runs_within(&rest, file->extents, file->n_extents, disk->page_size, &file->moved);
}

/* Chooses by one way, and lays the area out. */
static int choose_by(struct place_disk *disk, const struct way *way, const size_t *order)
{
	uint64_t at = 0;

	for (size_t i = 0; i < disk->n_files; i++) {
		struct place_file *file = &disk->files[order[i]];
		int r;

		if (file->status != PLACE_OPEN)
			continue;
		r = choose_file(disk, file, way);
		if (r < 0)
			return r;
		file->at = at;
		at += place_runs_pages(&file->moved) * disk->page_size;
	}
	disk->choice = way->words;
	disk->area_pages = at / disk->page_size;
	return 0;
}

static void maps_free(struct place_map *maps, size_t n)
{
	for (size_t i = 0; maps && i < n; i++)
		free((void *)maps[i].items);
	free(maps);
}

static int estimate_starts(struct place_disk *disk, const struct place_map *maps, bool after)
{
	for (size_t i = 0; i < disk->n_starts; i++) {
		struct place_start *start = &disk->starts[i];
		int r = place_cost_alone(
			disk, start, maps, after ? &start->alone_after : &start->alone_before);

		if (r == 0)
			r = place_cost_planned(
				disk, start, maps, after ? &start->planned_after : &start->planned_before);
		if (r < 0)
			return r;
	}
	return 0;
}

static int estimate_before(struct place_disk *disk)
{
	_cleanup_free_ struct place_map *maps = calloc(disk->n_files + 1, sizeof(*maps));

	if (!maps)
		return -ENOMEM;
	for (size_t i = 0; i < disk->n_files; i++)
		maps[i] = (struct place_map){disk->files[i].extents, disk->files[i].n_extents};
	return estimate_starts(disk, maps, false);
}

int place_estimate(struct place_disk *disk, const struct device_extent *area, size_t n_area)
{
	struct place_map *maps = calloc(disk->n_files + 1, sizeof(*maps));
	int r = maps ? 0 : -ENOMEM;

	for (size_t i = 0; i < disk->n_files && r == 0; i++) {
		struct device_extent *items = NULL;

		r = place_map_after(&disk->files[i], area, n_area, disk->page_size, &items, &maps[i].n);
		maps[i].items = items;
	}
	if (r == 0)
		r = estimate_starts(disk, maps, true);
	maps_free(maps, disk->n_files);
	return r;
}

/* Where an area that is not there yet is assumed to lie: in the middle of the first file's disk, as the file is. */
static uint64_t likely_place(const struct place_disk *disk)
{
	uint64_t pages = 0, half = 0;

	for (size_t i = 0; i < disk->n_files; i++)
		half += place_runs_pages(&disk->files[i].hot) / 2;
	for (size_t i = 0; i < disk->n_files; i++) {
		pages += place_runs_pages(&disk->files[i].hot);
		if (pages >= half && disk->files[i].n_extents > 0)
			return disk->files[i].extents[0].physical;
	}
	return 0;
}

static uint64_t planned_us(const struct place_disk *disk, bool after)
{
	uint64_t us = 0;

	for (size_t i = 0; i < disk->n_starts; i++)
		us += after ? disk->starts[i].planned_after.us : disk->starts[i].planned_before.us;
	return us;
}

static uint64_t alone_us(const struct place_disk *disk)
{
	uint64_t us = 0;

	for (size_t i = 0; i < disk->n_starts; i++)
		us += disk->starts[i].alone_after.us;
	return us;
}

int place_judge(const struct place_disk *disk)
{
	if ((double)planned_us(disk, true) > (double)planned_us(disk, false) * (1 - PLACE_GAIN_MIN))
		return -ERANGE;
	for (size_t i = 0; i < disk->n_starts; i++) {
		const struct place_start *start = &disk->starts[i];

		if ((double)start->alone_after.us > (double)start->alone_before.us * PLACE_SLOWER_MAX)
			return -EDOM;
	}
	return 0;
}

static int try_way(struct place_disk *disk, const struct way *way, const size_t *order)
{
	struct device_extent area = {.physical = likely_place(disk)};
	int r = choose_by(disk, way, order);

	if (r < 0)
		return r;
	area.length = disk->area_pages * disk->page_size;
	r = place_estimate(disk, &area, 1);
	return r < 0 ? r : place_judge(disk);
}

/* The best way is *ret_best. Returns 0, or the reason for which the last one was not taken. */
static int find_way(struct place_disk *disk, const size_t *order, const struct way **ret_best)
{
	uint64_t best_us = UINT64_MAX, least_us = UINT64_MAX;
	const struct way *least =
		NULL; /* of those that are too slow without headstart, the one that is so least */
	int reason = -ENODATA;

	*ret_best = NULL;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		int r = try_way(disk, &ways[i], order);

		if (r < 0 && r != -EDOM && r != -ERANGE)
			return r;
		if (disk->area_pages == 0)
			continue;
		if (r == -EDOM && alone_us(disk) < least_us) {
			least_us = alone_us(disk);
			least = &ways[i];
		}
		if (r < 0) {
			reason = reason == -EDOM ? reason : r;
			continue;
		}
		if (planned_us(disk, true) < best_us) {
			best_us = planned_us(disk, true);
			*ret_best = &ways[i];
		}
	}
	if (!*ret_best && disk->any_loss)
		*ret_best = least;
	return *ret_best ? 0 : reason;
}

/* Whether every touched page that can be moved was placed before. */
static int is_done(const struct place_disk *disk, bool *ret)
{
	_cleanup_(place_runs_releasep) struct place_runs rest = {0};
	int r = 0;

	for (size_t i = 0; i < disk->n_files && r == 0; i++)
		if (disk->files[i].status == PLACE_OPEN)
			r = place_runs_without(&disk->files[i].hot, &disk->files[i].placed, &rest);
	*ret = rest.n == 0;
	return r;
}

int place_choose(struct place_disk *disk)
{
	_cleanup_free_ size_t *order = place_order(disk);
	const struct way *best;
	bool done = false;
	int r = order ? estimate_before(disk) : -ENOMEM;

	if (r == 0)
		r = is_done(disk, &done);
	if (r == 0)
		r = done ? -ENODATA : find_way(disk, order, &best);
	if (r == 0)
		r = try_way(disk, best, order);
	if (r == -EDOM && disk->any_loss)
		r = 0;
	if (r < 0)
		disk->area_pages = 0;
	for (size_t i = 0; i < disk->n_files; i++) {
		struct place_file *file = &disk->files[i];

		if (r < 0)
			file->moved.n = 0;
		if (file->status == PLACE_OPEN && file->moved.n == 0)
			file->status = PLACE_STAYS;
	}
	return r;
}
