/* SPDX-License-Identifier: MIT */
/* Finds out where the pages of a draft lie, and cuts extents so that each is one run on the disk. */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/open.h"
#include "plan/build/draft.h"

/* The first page whose first byte is at or after `offset`. */
static uint64_t page_from(uint64_t offset, uint64_t page_size)
{
	return offset / page_size + (offset % page_size != 0);
}

/* Where `page` lies. *ret_end is the page, at most `end`, at which the run on the disk ends. */
static uint64_t place_of(const struct device_extent *places, size_t n_places, uint32_t page_size,
	uint32_t page, uint32_t end, uint32_t *ret_end)
{
	uint64_t offset = (uint64_t)page * page_size, until = end, physical = DRAFT_NOWHERE;
	size_t i = device_extent_after(places, n_places, offset);

	if (i < n_places && places[i].offset <= offset) {
		physical = places[i].physical + (offset - places[i].offset);
		until = page_from(places[i].offset + places[i].length, page_size);
	} else if (i < n_places) {
		until = page_from(places[i].offset, page_size);
	}
	*ret_end = until < end ? (uint32_t)until : end;
	return physical;
}

int draft_split(struct plan_draft *draft, size_t extent, const struct device_extent *places, size_t n_places)
{
	struct draft_extent whole = draft->extents[extent];
	uint32_t end = whole.page + whole.pages, stop;

	for (uint32_t page = whole.page; page < end; page = stop) {
		struct draft_extent piece = whole;
		int r;

		piece.physical = place_of(places, n_places, draft->profile->page_size, page, end, &stop);
		piece.page = page;
		piece.pages = stop - page;
		piece.order = whole.order + (page - whole.page);
		if (page == whole.page) {
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
