/* SPDX-License-Identifier: MIT */
/* Which pages of a file are resident, as ranges of a profile. */
#include <errno.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/files/residency.h"
#include "base/times.h"
#include "profile/edit.h"
#include "snapshot/collect.h"

#define PAGES_AT_ONCE 16384u

static int add_run(struct profile_file *file, uint32_t page, uint32_t pages, uint32_t *touches)
{
	const struct profile_range range = {.page = page, .pages = pages, .order = *touches, .runs = 1};
	uint32_t after;

	if (__builtin_add_overflow(*touches, pages, &after))
		return -EFBIG;
	*touches = after;
	return profile_file_add_range(file, range);
}

int pages_add_map(struct profile_file *file, uint32_t page, const unsigned char *present, size_t pages,
	uint32_t *touches)
{
	size_t end;

	for (size_t i = 0; i < pages; i = end) {
		int r = 0;

		for (end = i + 1; end < pages && (present[end] & 1) == (present[i] & 1); end++)
			;
		if (present[i] & 1)
			r = add_run(file, page + (uint32_t)i, (uint32_t)(end - i), touches);
		if (r < 0)
			return r;
	}
	return 0;
}

static uint64_t pages_of(uint64_t size, uint64_t page_size)
{
	uint64_t pages = size / page_size + (size % page_size != 0);

	return pages < UINT32_MAX ? pages : UINT32_MAX - 1; /* a profile can name no more */
}

/* Adds the resident pages of an open file of that size in bytes. */
static int add_resident(struct profile_file *file, int fd, uint64_t size, uint32_t *touches)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE), pages = pages_of(size, page_size);
	unsigned char present[PAGES_AT_ONCE];

	for (uint64_t page = 0; page < pages; page += PAGES_AT_ONCE) {
		size_t n = pages - page < PAGES_AT_ONCE ? (size_t)(pages - page) : PAGES_AT_ONCE;
		int r = residency_map(fd, page * page_size, n, present);

		if (r == 0)
			r = pages_add_map(file, (uint32_t)page, present, n, touches);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Neither the owner nor root changes the time of access of a file by looking at it. */
static unsigned open_options(const struct stat *st)
{
	uid_t user = geteuid();

	return user == 0 || user == st->st_uid ? OPEN_NO_ATIME : 0;
}

static int note_link(struct snapshot *snapshot, size_t file, const struct stat *st)
{
	int r = ARRAY_RESERVE(snapshot->links, snapshot->links_capacity, snapshot->n_links + 1);

	if (r < 0)
		return r;
	snapshot->links[snapshot->n_links++] = (struct snapshot_link){st->st_dev, st->st_ino, file};
	return 0;
}

/* Adds the file to the profile, with the ranges of `found`, which it takes. */
static int keep(
	struct snapshot *snapshot, const char *path, const struct stat *st, struct profile_file *found)
{
	struct profile_file *file;
	size_t index;
	int r = snapshot_add_name(snapshot, path, PROFILE_REGULAR, &index);

	if (r < 0)
		return r;
	file = &snapshot->profile.files[index];
	file->size = (uint64_t)st->st_size;
	file->mtime = nanoseconds(st->st_mtim);
	profile_file_take_ranges(file, found);
	return st->st_nlink > 1 ? note_link(snapshot, index, st) : 0;
}

int pages_add(struct snapshot *snapshot, const char *path, int fd, const struct stat *st, bool even_cold)
{
	_cleanup_(profile_file_releasep) struct profile_file found = {0};
	_cleanup_close_ int file = open_finish(fd, S_IFREG, open_options(st));
	int r = 0;

	if (file < 0) {
		snapshot->unreadable++;
		return file == -ENOMEM ? file : 0;
	}
	if (!snapshot->names_only)
		r = add_resident(&found, file, (uint64_t)st->st_size, &snapshot->touches);
	if (r == -ENOMEM || r == -EFBIG)
		return r;
	if (r < 0) {
		snapshot->hidden++;
		found.n_ranges = 0;
	}
	if (!even_cold && found.n_ranges == 0)
		return 0;
	r = even_cold ? 0 : snapshot_add_folders_to(snapshot, path);
	return r < 0 ? r : keep(snapshot, path, st, &found);
}

/* Adds the part [page, end) of a range. */
static int add_part(struct profile_file *to, const struct profile_range *range, uint32_t page, uint32_t end)
{
	if (page >= end)
		return 0;
	return profile_file_add_range(to,
		(struct profile_range){.page = page,
			.pages = end - page,
			.order = range->order + (page - range->page),
			.runs = range->runs});
}

/* Adds what a range has outside of those of `without`, of which *next may be the first that reaches into it. */
static int add_rest(struct profile_file *to, const struct profile_range *range,
	const struct profile_file *without, size_t *next)
{
	uint32_t page = range->page, end = range->page + range->pages;

	while (page < end) {
		const struct profile_range *hole;
		int r;

		while (*next < without->n_ranges &&
			without->ranges[*next].page + without->ranges[*next].pages <= page)
			++*next;
		hole = *next < without->n_ranges && without->ranges[*next].page < end
			? &without->ranges[*next]
			: NULL;
		r = add_part(to, range, page, hole ? hole->page : end);
		if (r < 0)
			return r;
		page = hole ? hole->page + hole->pages : end;
	}
	return 0;
}

int pages_subtract(struct profile_file *file, const struct profile_file *without)
{
	_cleanup_(profile_file_releasep) struct profile_file rest = {0};
	size_t next = 0;

	for (size_t i = 0; i < file->n_ranges; i++) {
		int r = add_rest(&rest, &file->ranges[i], without, &next);

		if (r < 0)
			return r;
	}
	profile_file_take_ranges(file, &rest);
	return 0;
}
