/* SPDX-License-Identifier: MIT */
/* Finds out where the pages of a draft lie, and cuts extents so that each is one run on the disk. */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/open.h"
#include "plan/build/draft.h"

/* The first page whose first byte is at or after `offset`. */
static uint64_t page_from(uint64_t offset, uint64_t page_size)
{
	return offset / page_size + (offset % page_size != 0);
}

/* The byte of the file up to which data lies on the disk as it does in the file, from the i-th place on. */
static uint64_t end_of_run(const struct device_extent *places, size_t n_places, size_t i)
{
	while (i + 1 < n_places && places[i].offset + places[i].length == places[i + 1].offset &&
		places[i].physical + places[i].length == places[i + 1].physical)
		i++;
	return places[i].offset + places[i].length;
}

/* Where an extent begins on the disk, and the end of its run there; cuts it at its end, or where its place becomes known. */
static void find_place(
	struct draft_extent *extent, const struct device_extent *places, size_t n_places, uint32_t page_size)
{
	uint64_t offset = (uint64_t)extent->page * page_size, until = UINT32_MAX;
	size_t i = device_extent_after(places, n_places, offset);

	extent->physical = DRAFT_NOWHERE;
	extent->run_end = 0;
	if (i < n_places && places[i].offset <= offset) {
		uint64_t end = end_of_run(places, n_places, i);

		extent->physical = places[i].physical + (offset - places[i].offset);
		/* The page that the end of a run cuts is read with it, but nothing behind it. */
		until = page_from(end, page_size);
		extent->run_end = until < UINT32_MAX ? (uint32_t)until : UINT32_MAX;
	} else if (i < n_places) {
		until = page_from(places[i].offset, page_size);
	}
	if (until - extent->page < extent->pages)
		extent->pages = (uint32_t)(until - extent->page);
}

int draft_split(struct plan_draft *draft, size_t extent, const struct device_extent *places, size_t n_places)
{
	struct draft_extent whole = draft->extents[extent];
	uint32_t end = whole.page + whole.pages;

	for (uint32_t page = whole.page; page < end;) {
		struct draft_extent piece = whole;
		int r;

		piece.page = page;
		piece.pages = end - page;
		piece.order = whole.order + (page - whole.page);
		find_place(&piece, places, n_places, draft->profile->page_size);
		page += piece.pages;
		if (piece.page == whole.page) {
			draft->extents[extent] = piece;
			continue;
		}
		r = ARRAY_RESERVE(draft->extents, draft->extents_capacity, draft->n_extents + 1);
		if (r < 0)
			return r;
		draft->extents[draft->n_extents++] = piece;
	}
	return 0;
}

/*
 * Places the extents [first, end), all of one file. They stay DRAFT_NOWHERE if the file system does not report places.
 */
static int place_file(struct plan_draft *draft, size_t first, size_t end)
{
	_cleanup_free_ struct device_extent *places = NULL;
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	size_t n_places;
	int r = draft_path(draft, draft->files[draft->extents[first].file].source->path, &path);

	if (r < 0)
		return r;
	fd = open_regular(path, OPEN_NO_LINKS);
	if (fd < 0)
		return fd == -ENOMEM ? -ENOMEM : 0;
	r = device_extents(fd, &places, &n_places);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (size_t i = first; i < end; i++) {
		r = draft_split(draft, i, places, n_places);
		if (r < 0)
			return r;
	}
	return 0;
}

static int compare_files(const void *a, const void *b)
{
	const struct draft_extent *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->page > y->page) - (x->page < y->page);
}

int draft_place(struct plan_draft *draft)
{
	size_t n = draft->n_extents, end;

	if (n > 0)
		qsort(draft->extents, n, sizeof(*draft->extents), compare_files);
	for (size_t first = 0; first < n; first = end) {
		uint32_t file = draft->extents[first].file;
		int r = 0;

		for (end = first; end < n && draft->extents[end].file == file; end++)
			;
		if (draft_file_device(draft, file)->class == DEVICE_ROTATIONAL ||
			draft_file_device(draft, file)->class == DEVICE_LAZY)
			r = place_file(draft, first, end);
		if (r < 0)
			return r;
	}
	return 0;
}
