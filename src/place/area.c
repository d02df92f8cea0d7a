/* SPDX-License-Identifier: MIT */
/* Takes blocks for an area, and picks the best of them. */
#include "place/area.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "place/exchange.h"

#define WIDER 4u         /* times what the area needs */
#define PROOF (1u << 20) /* bytes written at once to prove an area */
#define ALIGN 4096u      /* of memory for reads without the page cache */

void place_area_release(struct place_area *area)
{
	if (area->donor >= 0)
		close(area->donor);
	free(area->items);
	free(area->donors);
	*area = PLACE_NO_AREA;
}

void place_room_release(struct place_room *room)
{
	free(room->items);
	*room = (struct place_room){0};
}

void place_room_cut(struct place_room *room, uint64_t bytes)
{
	while (room->n > 0 && room->items[room->n - 1].offset >= bytes)
		room->n--;
	if (room->n > 0 && room->items[room->n - 1].length > bytes - room->items[room->n - 1].offset)
		room->items[room->n - 1].length = bytes - room->items[room->n - 1].offset;
}

static int by_physical(const void *a, const void *b)
{
	const struct device_extent *x = a, *y = b;

	return (x->physical > y->physical) - (x->physical < y->physical);
}

/* Extents that follow each other on the disk, in the order of their places. */
struct run {
	size_t first;
	uint64_t bytes;
	uint64_t taken; /* of them, from the beginning */
};

static int by_length(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static int by_first(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* The runs of extents that are sorted by their places. Returns how many there are. */
static size_t find_runs(const struct device_extent *extents, size_t n, struct run *runs)
{
	size_t n_runs = 0;

	for (size_t i = 0; i < n; i++) {
		if (i == 0 || extents[i - 1].physical + extents[i - 1].length != extents[i].physical)
			runs[n_runs++] = (struct run){.first = i};
		runs[n_runs - 1].bytes += extents[i].length;
	}
	return n_runs;
}

/* Takes the longest runs until there are `bytes`, and leaves them in the order of the disk. Returns 0 or -ENOSPC. */
static int take_longest(struct run *runs, size_t n, uint64_t bytes)
{
	if (n > 1)
		qsort(runs, n, sizeof(*runs), by_length);
	for (size_t i = 0; i < n && bytes > 0; i++) {
		runs[i].taken = runs[i].bytes < bytes ? runs[i].bytes : bytes;
		bytes -= runs[i].taken;
	}
	if (n > 1)
		qsort(runs, n, sizeof(*runs), by_first);
	return bytes > 0 ? -ENOSPC : 0;
}

/* Appends what is taken of a run to the area, which has `at` bytes so far. */
static void append(
	struct place_area *area, const struct run *run, const struct device_extent *extents, uint64_t *at)
{
	uint64_t left = run->taken;

	for (size_t i = run->first; left > 0; i++) {
		uint64_t bytes = extents[i].length < left ? extents[i].length : left;

		area->items[area->n] = (struct device_extent){*at, bytes, extents[i].physical};
		area->donors[area->n++] = extents[i].offset;
		*at += bytes;
		left -= bytes;
	}
}

static int reserve(struct place_area *area, size_t n)
{
	area->items = calloc(n + 1, sizeof(*area->items));
	area->donors = calloc(n + 1, sizeof(*area->donors));
	return area->items && area->donors ? 0 : -ENOMEM;
}

int place_area_pick(const struct place_room *room, uint64_t bytes, struct place_area *ret)
{
	_cleanup_(place_area_releasep) struct place_area area = PLACE_NO_AREA;
	_cleanup_free_ struct device_extent *extents = calloc(room->n + 1, sizeof(*extents));
	_cleanup_free_ struct run *runs = calloc(room->n + 1, sizeof(*runs));
	uint64_t at = 0;
	size_t n_runs;
	int r = extents && runs ? reserve(&area, room->n) : -ENOMEM;

	if (r < 0)
		return r;
	for (size_t i = 0; i < room->n; i++)
		extents[i] = room->items[i];
	if (room->n > 1)
		qsort(extents, room->n, sizeof(*extents), by_physical);
	n_runs = find_runs(extents, room->n, runs);
	r = take_longest(runs, n_runs, bytes);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n_runs; i++)
		append(&area, &runs[i], extents, &at);
	*ret = area;
	area = PLACE_NO_AREA;
	return 0;
}

/* Where the donor has blocks that can be exchanged: none behind its end. */
static int find_room(int donor, struct place_room *ret)
{
	struct stat st;
	int r = fstat(donor, &st) < 0 ? -errno : device_allocated(donor, &ret->items, &ret->n);

	if (r == 0)
		place_room_cut(ret, (uint64_t)st.st_size);
	return r;
}

int place_area_open(const char *folder, uint64_t bytes, struct place_area *ret)
{
	_cleanup_(place_area_releasep) struct place_area area = PLACE_NO_AREA;
	_cleanup_(place_room_releasep) struct place_room room = {0};
	int r;

	if (bytes > place_free_bytes(folder))
		return -ENOSPC;
	area.donor = place_donor(folder, bytes);
	if (area.donor < 0)
		return area.donor;
	r = find_room(area.donor, &room);
	if (r == 0)
		r = reserve(&area, room.n);
	if (r < 0)
		return r;
	for (size_t i = 0; i < room.n; i++) {
		area.items[i] = room.items[i];
		area.donors[i] = room.items[i].offset;
	}
	area.n = room.n;
	*ret = area;
	area = PLACE_NO_AREA;
	return 0;
}

/* One part of the area: written, or read and compared. The buffers have PROOF bytes. Returns 0 or negative errno. */
typedef int part_function(int fd, const void *bytes, void *spare, size_t size, off_t at);

static int write_part(int fd, const void *bytes, void *spare, size_t size, off_t at)
{
	return lseek(fd, at, SEEK_SET) < 0 ? -errno : write_full(fd, bytes, size);
}

static int compare_part(int fd, const void *bytes, void *spare, size_t size, off_t at)
{
	ssize_t n = pread_full(fd, spare, size, at);

	if (n < 0)
		return (int)n;
	return (size_t)n == size && memcmp(bytes, spare, size) == 0 ? 0 : -EIO;
}

static int for_each_part(
	const struct place_area *area, int fd, part_function *call, const void *bytes, void *spare)
{
	for (size_t i = 0; i < area->n; i++) {
		uint64_t at = area->donors[i], end = at + area->items[i].length;

		for (; at < end; at += PROOF) {
			int r = call(
				fd, bytes, spare, end - at < PROOF ? (size_t)(end - at) : PROOF, (off_t)at);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* Past the page cache, where the file system can. */
static int compare_parts(const struct place_area *area, const void *bytes, void *spare)
{
	_cleanup_close_ int direct = place_reopen(area->donor, O_RDONLY | O_DIRECT);

	return for_each_part(area, direct >= 0 ? direct : area->donor, compare_part, bytes, spare);
}

/* Random, because storage may compress what is written, or keep only one copy of equal blocks: then it would prove nothing. */
static int fill_randomly(uint8_t *bytes)
{
	size_t size = 0;

	while (size < PROOF) {
		ssize_t n = getrandom(bytes + size, PROOF - size, 0);

		if (n < 0 && errno != EINTR)
			return -errno;
		size += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int place_area_prove(const struct place_area *area)
{
	_cleanup_free_ void *bytes = NULL, *spare = NULL;
	int r;

	if (posix_memalign(&bytes, ALIGN, PROOF) != 0 || posix_memalign(&spare, ALIGN, PROOF) != 0)
		return -ENOMEM;
	r = fill_randomly(bytes);
	if (r == 0)
		r = for_each_part(area, area->donor, write_part, bytes, spare);
	if (r == 0 && fsync(area->donor) < 0)
		r = -errno;
	/* No block can be exchanged while a page of it is in use. */
	(void)posix_fadvise(area->donor, 0, 0, POSIX_FADV_DONTNEED);
	return r < 0 ? r : compare_parts(area, bytes, spare);
}

int place_area_widen(
	const struct place_area *area, const char *folder, uint64_t bytes, struct place_room *ret_room)
{
	uint64_t more = place_free_bytes(folder) / 2;

	if (bytes > INT64_MAX / WIDER)
		return -EFBIG;
	if (more > bytes * (WIDER - 1))
		more = bytes * (WIDER - 1);
	/* Where the room ends sooner, the blocks that it got until then are there. */
	if (more > 0 && fallocate(area->donor, 0, (off_t)bytes, (off_t)more) < 0 && errno != ENOSPC &&
		errno != EDQUOT)
		return -errno;
	return find_room(area->donor, ret_room);
}

static int give_back(int donor, uint64_t from, uint64_t to)
{
	if (from < to &&
		fallocate(donor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
			(off_t)(to - from)) < 0)
		return -errno;
	return 0;
}

static int by_offset(const void *a, const void *b)
{
	const struct device_extent *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Gives back all blocks of the donor that are not the area's. */
static int give_back_others(const struct place_area *area)
{
	_cleanup_free_ struct device_extent *kept = calloc(area->n + 1, sizeof(*kept));
	uint64_t from = 0;
	struct stat st;
	int r = 0;

	if (!kept)
		return -ENOMEM;
	if (fstat(area->donor, &st) < 0)
		return -errno;
	for (size_t i = 0; i < area->n; i++)
		kept[i] = (struct device_extent){.offset = area->donors[i], .length = area->items[i].length};
	if (area->n > 1)
		qsort(kept, area->n, sizeof(*kept), by_offset);
	for (size_t i = 0; i < area->n && r == 0; i++) {
		r = give_back(area->donor, from, kept[i].offset);
		from = kept[i].offset + kept[i].length;
	}
	return r < 0 ? r : give_back(area->donor, from, (uint64_t)st.st_size);
}

int place_area_take(struct place_area *area, const struct place_room *room, uint64_t bytes)
{
	struct place_area picked;
	int r = place_area_pick(room, bytes, &picked);

	if (r < 0)
		return r;
	picked.donor = area->donor;
	area->donor = -1;
	place_area_release(area);
	*area = picked;
	return give_back_others(area);
}
