/* SPDX-License-Identifier: MIT */
/* What cold starts read from a disk, and how long that takes. */
#include "place/cost.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "place/code.h"
#include "plan/build/time/cost.h"

#define NOWHERE       UINT64_MAX
#define WINDOW_BYTES  (128u << 10) /* the kernel's default of read_ahead_kb */
#define REQUEST_BYTES (128u << 10)
#define INODE_BYTES   256u         /* of one inode, by default */
#define INODES_BYTES  (128u << 10) /* that are read at once */
#define INODE_SPREAD  (UINT64_C(2) << 30)
#define FIRST_PAGES   4u /* that are read if a file is read from its beginning */

/* A disk at work. */
struct reader {
	const struct place_disk *disk;
	struct device_model model;
	uint64_t head; /* where the last read ended: bytes; or NOWHERE */
	struct place_cost cost;
};

static struct reader reader_of(const struct place_disk *disk)
{
	return (struct reader){.disk = disk, .model = plan_model_of(&disk->device), .head = NOWHERE};
}

static void read_at(struct reader *reader, uint64_t physical, uint64_t bytes)
{
	const struct device_model *model = &reader->model;
	uint64_t requests = bytes / REQUEST_BYTES + (bytes % REQUEST_BYTES != 0);
	uint64_t distance = reader->head == NOWHERE ? DEVICE_FAR
		: physical > reader->head           ? physical - reader->head
						    : reader->head - physical;

	reader->cost.reads++;
	reader->cost.seeks += distance >= DEVICE_FAR;
	reader->cost.bytes += bytes;
	reader->cost.us += requests * model->latency_us / (model->depth ? model->depth : 1) +
		device_model_way_us(model, distance, reader->disk->device.size) +
		(model->bytes_per_ms ? bytes * 1000 / model->bytes_per_ms : 0);
	reader->head = physical + bytes;
}

/* The extent tree lies somewhere, and the way back from there is as long. */
static void read_tree(struct reader *reader)
{
	reader->head = NOWHERE;
	read_at(reader, 0, reader->disk->page_size);
	reader->head = NOWHERE;
}

/* A file as a start finds it. */
struct opened {
	uint8_t *bits;   /* owned: which pages are in memory; NULL: it was not touched yet */
	uint64_t marked; /* the page at whose touch the kernel reads on; NOWHERE: none */
	uint64_t next;   /* from here on, */
	uint64_t size;   /* pages of the last window; the next one is twice as large, up to the limit */
};

struct opened_files {
	struct opened *items; /* owned; one for each file */
	size_t n;
	uint8_t *inodes; /* owned: which parts of the inode tables were read */
};

static void opened_files_release(struct opened_files *files)
{
	for (size_t i = 0; files->items && i < files->n; i++)
		free(files->items[i].bits);
	free(files->items);
	free(files->inodes);
}

static bool take(uint8_t *bits, uint64_t page)
{
	uint8_t bit = (uint8_t)(1u << page % 8);
	bool had = bits[page / 8] & bit;

	bits[page / 8] |= bit;
	return !had;
}

/* Reads [page, end) of a file, as far as it is not in memory: one read for each run on the disk. */
static void read_window(
	struct reader *reader, const struct place_map *map, uint8_t *bits, uint64_t page, uint64_t end)
{
	uint64_t page_size = reader->disk->page_size, physical = NOWHERE, bytes = 0;

	for (; page < end; page++) {
		uint64_t offset = page * page_size;
		size_t i = device_extent_after(map->items, map->n, offset);
		uint64_t place = i < map->n && map->items[i].offset <= offset
			? map->items[i].physical + (offset - map->items[i].offset)
			: NOWHERE; /* a hole */

		if (!take(bits, page))
			place = NOWHERE;
		if (bytes > 0 && place == physical + bytes) {
			bytes += page_size;
			continue;
		}
		if (bytes > 0)
			read_at(reader, physical, bytes);
		physical = place;
		bytes = place == NOWHERE ? 0 : page_size;
	}
	if (bytes > 0)
		read_at(reader, physical, bytes);
}

/* The part of an inode table that the kernel reads at once (fs/ext4/super.c, inode_readahead_blks). */
static void read_inode(struct reader *reader, uint64_t inode, uint8_t *read)
{
	const struct place_disk *disk = reader->disk;
	uint64_t together = INODES_BYTES / INODE_BYTES, groups, in_each, place;

	if (disk->inodes == 0 || inode == 0 || inode > disk->inodes || !take(read, (inode - 1) / together))
		return;
	groups = disk->bytes / INODE_SPREAD + 1;
	in_each = disk->inodes / groups + 1;
	place = (inode - 1) / in_each * INODE_SPREAD + (inode - 1) % in_each * INODE_BYTES;
	read_at(reader, place, INODES_BYTES);
}

/* The largest window that the kernel reads, in pages. */
static uint64_t window_of(const struct place_disk *disk)
{
	uint64_t bytes =
		disk->device.read_ahead_kb ? (uint64_t)disk->device.read_ahead_kb << 10 : WINDOW_BYTES;

	return bytes > disk->page_size ? bytes / disk->page_size : 1;
}

/* Reads `size` pages from `from` on. If `ahead` of them are left the kernel reads on. */
static void read_ahead(struct reader *reader, const struct place_map *map, struct opened *file, uint64_t from,
	uint64_t size, uint64_t ahead, uint64_t pages)
{
	file->marked = from + size - ahead;
	file->next = from + size;
	file->size = size;
	if (from < pages)
		read_window(reader, map, file->bits, from, file->next < pages ? file->next : pages);
}

/* Reads what a fault in code reads. */
static void read_on(struct reader *reader, const struct place_map *map, struct opened *file,
	const struct place_run *code, uint64_t page, uint64_t pages)
{
	uint32_t unit = reader->disk->code_unit, page_size = reader->disk->page_size;
	uint64_t from, end;

	place_code_window(
		code, page, window_of(reader->disk), unit > page_size ? unit / page_size : 1, &from, &end);
	file->marked = NOWHERE;
	read_window(
		reader, map, file->bits, from, end < pages ? end : pages); /* the file may have grown since */
}

static void touch_page(struct reader *reader, const struct place_map *map, struct opened *file, uint64_t page,
	uint64_t pages, const struct place_run *code, bool first)
{
	uint64_t window = window_of(reader->disk), size = file->size * 2 < window ? file->size * 2 : window;

	if (!(file->bits[page / 8] & 1u << page % 8)) {
		if (code)
			read_on(reader, map, file, code, page, pages);
		else if (first && page == 0 && window > FIRST_PAGES)
			read_ahead(reader, map, file, 0, FIRST_PAGES, FIRST_PAGES - 1, pages);
		else
			read_ahead(reader, map, file, page > window / 2 ? page - window / 2 : 0, window,
				window / 4, pages);
	} else if (page == file->marked) {
		read_ahead(reader, map, file, file->next, size, size, pages);
	}
}

static int touch(struct reader *reader, struct opened_files *files, const struct place_touch *touch,
	const struct place_map *map)
{
	const struct place_file *source = &reader->disk->files[touch->file];
	struct opened *file = &files->items[touch->file];
	uint64_t pages = place_file_pages(source, reader->disk->page_size);
	uint64_t end = (uint64_t)touch->page + touch->pages;
	bool first = !file->bits;

	if (first) {
		file->bits = calloc(pages / 8 + 1, 1);
		file->marked = NOWHERE;
		if (!file->bits)
			return -ENOMEM;
		read_inode(reader, source->inode, files->inodes);
		if (map->n > PLACE_INODE_EXTENTS)
			read_tree(reader);
	}
	for (uint64_t page = touch->page; page < end && page < pages; page++) {
		const struct place_run *code =
			reader->disk->code_reads_on ? place_code_at(&source->code, page) : NULL;

		touch_page(reader, map, file, page, pages, code, first);
		first = false;
	}
	return 0;
}

int place_cost_alone(const struct place_disk *disk, const struct place_start *start,
	const struct place_map *maps, struct place_cost *ret)
{
	_cleanup_(opened_files_release) struct opened_files files = {
		.items = calloc(disk->n_files + 1, sizeof(*files.items)), .n = disk->n_files};
	struct reader reader = reader_of(disk);

	files.inodes = calloc(disk->inodes / (INODES_BYTES / INODE_BYTES) / 8 + 1, 1);
	if (!files.items || !files.inodes)
		return -ENOMEM;
	for (size_t i = 0; i < start->n_touches; i++) {
		const struct place_touch *next = &start->touches[i];
		int r = touch(&reader, &files, next, &maps[next->file]);

		if (r < 0)
			return r;
	}
	*ret = reader.cost;
	return 0;
}

/* Bytes of the disk that a plan names, of one extent of a file. */
struct piece {
	uint64_t physical, bytes;
	const struct device_extent *extent; /* borrowed */
};

struct pieces {
	struct piece *items; /* owned */
	size_t n, capacity;
};

static void pieces_release(struct pieces *pieces)
{
	free(pieces->items);
}

static int by_physical(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return (x->physical > y->physical) - (x->physical < y->physical);
}

static int add_pieces(struct pieces *pieces, const struct place_touch *touch, const struct place_map *map,
	uint32_t page_size)
{
	uint64_t offset = (uint64_t)touch->page * page_size,
		 end = offset + (uint64_t)touch->pages * page_size;

	for (size_t i = device_extent_after(map->items, map->n, offset);
		i < map->n && map->items[i].offset < end; i++) {
		const struct device_extent *extent = &map->items[i];
		uint64_t from = extent->offset > offset ? extent->offset : offset;
		uint64_t to = extent->offset + extent->length < end ? extent->offset + extent->length : end;
		int r = ARRAY_RESERVE(pieces->items, pieces->capacity, pieces->n + 1);

		if (r < 0)
			return r;
		pieces->items[pieces->n++] =
			(struct piece){extent->physical + (from - extent->offset), to - from, extent};
	}
	return 0;
}

/*
 * Reads the pieces, and the gaps between them that cost no more than skipping them. As in a plan (plan/build/reads/merge.c), a gap
 * is one of the file: what lies between two files is not read. Neighbours on the disk the kernel reads at once.
 */
static void read_pieces(struct reader *reader, struct pieces *pieces)
{
	const struct plan_cost cost = plan_cost_of(&reader->disk->device);
	uint64_t gap =
		(uint64_t)plan_cost_gap_pages(&cost, reader->disk->page_size) * reader->disk->page_size;
	struct piece run = {0};

	if (pieces->n > 1)
		qsort(pieces->items, pieces->n, sizeof(*pieces->items), by_physical);
	for (size_t i = 0; i < pieces->n; i++) {
		const struct piece *next = &pieces->items[i];
		uint64_t end = next->physical + next->bytes, most = next->extent == run.extent ? gap : 0;

		if (run.bytes > 0 && next->physical <= run.physical + run.bytes + most) {
			if (end > run.physical + run.bytes)
				run.bytes = end - run.physical;
			run.extent = next->extent;
			continue;
		}
		if (run.bytes > 0)
			read_at(reader, run.physical, run.bytes);
		run = *next;
	}
	if (run.bytes > 0)
		read_at(reader, run.physical, run.bytes);
}

int place_cost_planned(const struct place_disk *disk, const struct place_start *start,
	const struct place_map *maps, struct place_cost *ret)
{
	_cleanup_free_ bool *opened = calloc(disk->n_files + 1, sizeof(*opened));
	_cleanup_(pieces_release) struct pieces pieces = {0};
	struct reader reader = reader_of(disk);

	if (!opened)
		return -ENOMEM;
	for (size_t i = 0; i < start->n_touches; i++) {
		const struct place_touch *next = &start->touches[i];
		int r = add_pieces(&pieces, next, &maps[next->file], disk->page_size);

		if (r < 0)
			return r;
		if (!opened[next->file] && maps[next->file].n > PLACE_INODE_EXTENTS)
			read_tree(&reader);
		opened[next->file] = true;
	}
	read_pieces(&reader, &pieces);
	*ret = reader.cost;
	return 0;
}

struct map {
	struct device_extent *items; /* owned */
	size_t n, capacity;
};

static void map_release(struct map *map)
{
	free(map->items);
}

static int map_add(struct map *map, uint64_t offset, uint64_t length, uint64_t physical)
{
	int r = length > 0 ? ARRAY_RESERVE(map->items, map->capacity, map->n + 1) : 0;

	if (r == 0 && length > 0)
		map->items[map->n++] = (struct device_extent){offset, length, physical};
	return r;
}

/* Adds what stays of an extent. */
static int add_rest(struct map *map, const struct device_extent *extent, const struct place_runs *moved,
	uint32_t page_size)
{
	uint64_t offset = extent->offset, end = extent->offset + extent->length;

	for (size_t i = 0; i < moved->n && offset < end; i++) {
		uint64_t from = (uint64_t)moved->items[i].page * page_size;
		uint64_t to = from + (uint64_t)moved->items[i].pages * page_size;
		int r;

		if (to <= offset || from >= end)
			continue;
		r = from > offset
			? map_add(map, offset, from - offset, extent->physical + (offset - extent->offset))
			: 0;
		if (r < 0)
			return r;
		offset = to;
	}
	return offset < end ? map_add(map, offset, end - offset, extent->physical + (offset - extent->offset))
			    : 0;
}

/* Adds a run of `length` bytes at `at` in the area, where the extents of that end. */
static int add_moved(struct map *map, uint64_t offset, uint64_t length, uint64_t at,
	const struct device_extent *area, size_t n_area)
{
	for (size_t i = device_extent_after(area, n_area, at); i < n_area && length > 0; i++) {
		uint64_t left = area[i].offset + area[i].length - at;
		uint64_t bytes = left < length ? left : length;
		int r = map_add(map, offset, bytes, area[i].physical + (at - area[i].offset));

		if (r < 0)
			return r;
		offset += bytes;
		at += bytes;
		length -= bytes;
	}
	return 0;
}

static int by_offset(const void *a, const void *b)
{
	const struct device_extent *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static void join(struct map *map)
{
	size_t kept = 0;

	if (map->n == 0)
		return;
	qsort(map->items, map->n, sizeof(*map->items), by_offset);
	for (size_t i = 1; i < map->n; i++) {
		struct device_extent *last = &map->items[kept];
		const struct device_extent *next = &map->items[i];

		if (last->offset + last->length == next->offset &&
			last->physical + last->length == next->physical)
			last->length += next->length;
		else
			map->items[++kept] = *next;
	}
	map->n = kept + 1;
}

int place_map_after(const struct place_file *file, const struct device_extent *area, size_t n_area,
	uint32_t page_size, struct device_extent **ret, size_t *ret_n)
{
	_cleanup_(map_release) struct map map = {0};
	uint64_t at = file->at;
	int r = 0;

	for (size_t i = 0; i < file->n_extents && r == 0; i++)
		r = add_rest(&map, &file->extents[i], &file->moved, page_size);
	for (size_t i = 0; i < file->moved.n && r == 0; i++) {
		uint64_t length = (uint64_t)file->moved.items[i].pages * page_size;

		r = add_moved(
			&map, (uint64_t)file->moved.items[i].page * page_size, length, at, area, n_area);
		at += length;
	}
	if (r < 0)
		return r;
	join(&map);
	*ret = TAKE_PTR(map.items);
	*ret_n = map.n;
	return 0;
}
