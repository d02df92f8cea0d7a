/* SPDX-License-Identifier: MIT */
/* Which pages are moved: ways to choose them, tried on the cost model. */
#include "place/choose.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "place/code.h"

#define HEAD_PAGES 4u /* of a relaid file, which the loader reads before all else */
#define LEAD_PAGES 16u
#define HEAD_MOST  128u /* … up to the last page there that is touched, if it is none behind these */

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
 * reads on behind that if these pages are touched. Where a fault in code reads only what follows (base/files/code-faults.h), as many pages
 * move, and those of the half before lie behind.
 */
static const struct way ways[] = {
	{"small files and what relayout has appended", .pages = false},
	{"touched pages", .pages = true, .gap = 16},
	{"touched pages, and 64 KiB around them", .pages = true, .margin = 8, .behind = 8, .gap = 16},
	{"touched pages, and 128 KiB around them", .pages = true, .margin = 16, .behind = 16, .gap = 16},
	{"touched pages, and 256 KiB around them, most of it behind", .pages = true, .margin = 16,
		.behind = 48, .gap = 32},
	{"touched pages, and 576 KiB around them, most of it behind", .pages = true, .margin = 16,
		.behind = 128, .gap = 64},
	{"whole files", .pages = true, .whole = true},
};

/* What is tried: a way, and how many pages move before those that relayout has appended, as faults in data read around them. */
struct choice {
	const struct way *way;
	uint32_t lead;
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

/*
 * What is touched of the rest of a relaid file is its beginning and perhaps the first page of its table of strings
 * (relayout/passes/hot.c). They move with what lies between them: more pieces would need an extent tree.
 */
static uint64_t head_of(const struct place_file *file, uint64_t appended)
{
	uint64_t head = HEAD_PAGES;

	for (size_t i = 0; i < file->hot.n; i++) {
		uint64_t end = (uint64_t)file->hot.items[i].page + file->hot.items[i].pages;

		if (end > head && end <= HEAD_MOST)
			head = end;
	}
	return head < appended ? head : appended;
}

static int add_relaid(const struct place_disk *disk, const struct place_file *file, uint64_t pages,
	uint32_t lead, struct place_runs *ret)
{
	uint64_t from = file->appended / disk->page_size;
	int r = place_runs_add(ret, 0, head_of(file, from));

	from = from > lead ? from - lead : 0;
	r = r < 0 ? r : place_runs_add(ret, from, pages - from);
	place_runs_join(ret, 0);
	return r;
}

/* The runs of a file that would lie in the area. */
static int wanted(const struct place_disk *disk, const struct place_file *file, const struct choice *choice,
	struct place_runs *ret)
{
	const struct way *way = choice->way;
	uint64_t pages = place_file_pages(file, disk->page_size);

	if (file->hot.n == 0)
		return 0;
	if (file->appended)
		return add_relaid(disk, file, pages, choice->lead, ret);
	if (file->size <= PLACE_SMALL || way->whole)
		return place_runs_add(ret, 0, pages);
	return way->pages ? add_hot(disk, file, way, ret) : 0;
}

static int choose_file(struct place_disk *disk, struct place_file *file, const struct choice *choice)
{
	_cleanup_(place_runs_releasep) struct place_runs all = {0}, rest = {0};
	int r = wanted(disk, file, choice, &all);

	file->moved.n = 0;
	if (r == 0)
		r = place_runs_without(&all, &file->placed, &rest);
	return r < 0
		? r
		: place_runs_within(&rest, file->extents, file->n_extents, disk->page_size, &file->moved);
}

/* Chooses by one way, and lays the area out. */
static int choose_by(struct place_disk *disk, const struct choice *choice, const size_t *order)
{
	uint64_t at = 0;

	for (size_t i = 0; i < disk->n_files; i++) {
		struct place_file *file = &disk->files[order[i]];
		int r;

		if (file->status != PLACE_OPEN)
			continue;
		r = choose_file(disk, file, choice);
		if (r < 0)
			return r;
		file->at = at;
		at += place_runs_pages(&file->moved) * disk->page_size;
	}
	disk->choice = choice->way->words;
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

static uint64_t sum_planned(const struct place_disk *disk, bool after)
{
	uint64_t us = 0;

	for (size_t i = 0; i < disk->n_starts; i++)
		us += after ? disk->starts[i].planned_after.us : disk->starts[i].planned_before.us;
	return us;
}

uint64_t place_planned_us(const struct place_disk *disk)
{
	return sum_planned(disk, true);
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
	if ((double)place_planned_us(disk) > (double)sum_planned(disk, false) * (1 - PLACE_GAIN_MIN))
		return -ERANGE;
	for (size_t i = 0; i < disk->n_starts; i++) {
		const struct place_start *start = &disk->starts[i];

		if ((double)start->alone_after.us > (double)start->alone_before.us * PLACE_SLOWER_MAX)
			return -EDOM;
	}
	return 0;
}

/* What the starts cost in the best area that the room has for them, or, without a room, in one that is assumed to be in one piece. */
static int estimate_in(struct place_disk *disk, const struct place_room *room)
{
	_cleanup_(place_area_releasep) struct place_area area = PLACE_NO_AREA;
	uint64_t bytes = disk->area_pages * disk->page_size;
	int r;

	if (!room)
		return place_estimate(disk, &(struct device_extent){0, bytes, likely_place(disk)}, 1);
	r = place_area_pick(room, bytes, &area);
	return r < 0 ? r : place_estimate(disk, area.items, area.n);
}

static int try_choice(struct place_disk *disk, const struct choice *choice, const size_t *order,
	const struct place_room *room)
{
	int r = choose_by(disk, choice, order);

	if (r == 0)
		r = estimate_in(disk, room);
	if (r == -ENOSPC) /* less may fit */
		return -ERANGE;
	return r < 0 ? r : place_judge(disk);
}

/* The best one is *ret_best. Returns 0, or the reason for which the last one was not taken. */
static int find_choice(
	struct place_disk *disk, const size_t *order, const struct place_room *room, struct choice *ret_best)
{
	uint64_t best_us = UINT64_MAX, least_us = UINT64_MAX;
	struct choice least = {
		0}; /* of those that are too slow without headstart, the one that is so least */
	int reason = -ENODATA;

	*ret_best = (struct choice){0};
	for (size_t i = 0; i < 2 * sizeof(ways) / sizeof(*ways); i++) {
		const struct choice choice = {&ways[i / 2], i % 2 ? LEAD_PAGES : 0};
		int r = try_choice(disk, &choice, order, room);

		if (r < 0 && r != -EDOM && r != -ERANGE)
			return r;
		if (disk->area_pages == 0)
			continue;
		if (r == -EDOM && alone_us(disk) < least_us) {
			least_us = alone_us(disk);
			least = choice;
		}
		if (r < 0) {
			reason = reason == -EDOM ? reason : r;
			continue;
		}
		if (place_planned_us(disk) < best_us) {
			best_us = place_planned_us(disk);
			*ret_best = choice;
		}
	}
	if (!ret_best->way && disk->any_loss)
		*ret_best = least;
	return ret_best->way ? 0 : reason;
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

/* A choice before this one may have left them where they are. */
static void open_all(struct place_disk *disk)
{
	for (size_t i = 0; i < disk->n_files; i++)
		if (disk->files[i].status == PLACE_STAYS)
			disk->files[i].status = PLACE_OPEN;
}

/* Files of which nothing moves stay; after a failure those are all. */
static void close_others(struct place_disk *disk, bool all)
{
	if (all)
		disk->area_pages = 0;
	for (size_t i = 0; i < disk->n_files; i++) {
		struct place_file *file = &disk->files[i];

		if (all)
			file->moved.n = 0;
		if (file->status == PLACE_OPEN && file->moved.n == 0)
			file->status = PLACE_STAYS;
	}
}

int place_choose_within(struct place_disk *disk, const struct place_room *room)
{
	_cleanup_free_ size_t *order = place_order(disk);
	struct choice best;
	bool done = false;
	int r = order ? estimate_before(disk) : -ENOMEM;

	open_all(disk);
	if (r == 0)
		r = is_done(disk, &done);
	if (r == 0)
		r = done ? -ENODATA : find_choice(disk, order, room, &best);
	if (r == 0)
		r = try_choice(disk, &best, order, room);
	if (r == -EDOM && disk->any_loss)
		r = 0;
	close_others(disk, r < 0);
	return r;
}

int place_choose(struct place_disk *disk)
{
	return place_choose_within(disk, NULL);
}
