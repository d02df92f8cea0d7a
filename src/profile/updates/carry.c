/* SPDX-License-Identifier: MIT */
/* Finds the landmarks of one build in another, and moves pages by them. */
#include "profile/updates/carry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/open.h"
#include "profile/updates/staleness.h"

/* ---- keeping ---- */

/* The number of the first landmark at `offset` or after it. */
static size_t mark_at(const struct elf_landmarks *landmarks, uint64_t offset)
{
	return ARRAY_BISECT(i, landmarks->n_marks, landmarks->marks[i].offset < offset);
}

/* Chooses what a page needs: the landmark before it, and the first of each half. */
static void choose_marks(
	const struct elf_landmarks *landmarks, uint64_t start, uint32_t page_size, bool *chosen)
{
	size_t first = mark_at(landmarks, start);

	if (first > 0)
		chosen[first - 1] = true;
	for (uint64_t half = start; half < start + page_size; half += page_size / 2) {
		size_t mark = mark_at(landmarks, half);

		if (mark < landmarks->n_marks && landmarks->marks[mark].offset < half + page_size / 2)
			chosen[mark] = true;
	}
}

static bool is_hot(const struct profile_file *file, const struct elf_part *part, uint32_t page_size)
{
	for (size_t i = 0; i < file->n_ranges; i++) {
		uint64_t start = (uint64_t)file->ranges[i].page * page_size;
		uint64_t end = start + (uint64_t)file->ranges[i].pages * page_size;

		if (start < (uint64_t)part->offset + part->size && part->offset < end)
			return true;
	}
	return false;
}

static void drop_cold_parts(
	const struct profile_file *file, uint32_t page_size, struct elf_landmarks *landmarks)
{
	size_t kept = 0;

	for (size_t i = 0; i < landmarks->n_parts; i++)
		if (is_hot(file, &landmarks->parts[i], page_size))
			landmarks->parts[kept++] = landmarks->parts[i];
	landmarks->n_parts = kept;
}

static int drop_cold_marks(
	const struct profile_file *file, uint32_t page_size, struct elf_landmarks *landmarks)
{
	_cleanup_free_ bool *chosen = calloc(landmarks->n_marks + 1, sizeof(*chosen));
	size_t kept = 0;

	if (!chosen)
		return -ENOMEM;
	for (size_t i = 0; i < file->n_ranges; i++) {
		const struct profile_range *range = &file->ranges[i];

		for (uint64_t page = range->page;
			page < (uint64_t)range->page + range->pages && page * page_size <= UINT32_MAX; page++)
			choose_marks(landmarks, page * page_size, page_size, chosen);
	}
	for (size_t i = 0; i < landmarks->n_marks; i++)
		if (chosen[i])
			landmarks->marks[kept++] = landmarks->marks[i];
	landmarks->n_marks = kept;
	return 0;
}

int profile_file_keep_landmarks(struct profile_file *file, uint32_t page_size)
{
	_cleanup_(elf_landmarks_releasep) struct elf_landmarks landmarks = {0};
	_cleanup_close_ int fd = -1;
	int r;

	if (file->kind != PROFILE_REGULAR || file->n_ranges == 0)
		return 0;
	fd = open_regular(file->path, OPEN_NO_LINKS);
	if (fd < 0)
		return fd;
	r = elf_landmarks_read(fd, &landmarks);
	if (r < 0)
		return r == -ENOEXEC ? 0 : r;
	drop_cold_parts(file, page_size, &landmarks);
	r = drop_cold_marks(file, page_size, &landmarks);
	if (r < 0)
		return r;
	elf_landmarks_free(file->landmarks);
	file->landmarks = NULL;
	return landmarks.n_parts > 0 ? elf_landmarks_add(&file->landmarks, &landmarks) : 0;
}

void profile_identify(struct profile *profile)
{
	for (size_t i = 0; i < profile->n_files; i++)
		if (profile_file_identify(&profile->files[i]) == 0)
			(void)profile_file_keep_landmarks(&profile->files[i], profile->page_size);
}

/* ---- carrying ---- */

/* A landmark that both builds have. */
struct match {
	uint32_t from, to; /* bytes, in the files */
};

#define VOTES_MAX 16u /* pages that one page can become part of; others do not count */

struct vote {
	uint32_t page;
	uint64_t bytes;
};

struct carrying {
	const struct elf_landmarks *from, *to;
	uint32_t page_size;
	uint32_t pages;        /* of the new file */
	struct match *matches; /* owned; ascending by `from` */
	size_t n_matches;
	bool *taken; /* owned; for each page of the new file */
	struct vote votes[VOTES_MAX];
	size_t n_votes;
};

static void carrying_releasep(struct carrying *carrying)
{
	free(carrying->matches);
	free(carrying->taken);
}

static int compare_keys(const void *a, const void *b)
{
	const struct elf_landmark *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static int find_matches(struct carrying *c)
{
	size_t n = c->to->n_marks;
	_cleanup_free_ struct elf_landmark *by_key = calloc(n + 1, sizeof(*by_key));

	c->matches = calloc(c->from->n_marks + 1, sizeof(*c->matches));
	if (!by_key || !c->matches)
		return -ENOMEM;
	if (n > 0) {
		memcpy(by_key, c->to->marks, n * sizeof(*by_key));
		qsort(by_key, n, sizeof(*by_key), compare_keys);
	}
	for (size_t i = 0; n > 0 && i < c->from->n_marks; i++) {
		const struct elf_landmark *mark = &c->from->marks[i];
		const struct elf_landmark *found = bsearch(mark, by_key, n, sizeof(*by_key), compare_keys);

		if (found)
			c->matches[c->n_matches++] = (struct match){mark->offset, found->offset};
	}
	return 0;
}

static void vote(struct carrying *c, uint64_t page, uint64_t bytes)
{
	if (page >= c->pages)
		return;
	for (size_t i = 0; i < c->n_votes; i++) {
		if (c->votes[i].page == page) {
			c->votes[i].bytes += bytes;
			return;
		}
	}
	if (c->n_votes < VOTES_MAX)
		c->votes[c->n_votes++] = (struct vote){(uint32_t)page, bytes};
}

/* Votes for the pages that [start, start + length) of the new file lies in. */
static void vote_for(struct carrying *c, uint64_t start, uint64_t length)
{
	while (length > 0) {
		uint64_t left = c->page_size - start % c->page_size;
		uint64_t n = length < left ? length : left;

		vote(c, start / c->page_size, n);
		start += n;
		length -= n;
	}
}

static const struct elf_part *part_of(const struct elf_landmarks *landmarks, uint32_t name)
{
	for (size_t i = 0; i < landmarks->n_parts; i++)
		if (landmarks->parts[i].name == name)
			return &landmarks->parts[i];
	return NULL;
}

/* The number of the first match at `offset` or after it. */
static size_t match_at(const struct carrying *c, uint64_t offset)
{
	return ARRAY_BISECT(i, c->n_matches, c->matches[i].from < offset);
}

/*
 * Where a place of an old part is now: as far from the landmark before it as it was; or from the one after it; or, in a
 * part without landmarks, at the same share of the part, where *length bytes may be too many for it. Returns false if it is
 * nowhere.
 */
static bool new_place(const struct carrying *c, const struct elf_part *part, uint64_t place, uint64_t *ret,
	uint64_t *length)
{
	uint64_t end = (uint64_t)part->offset + part->size;
	size_t next = match_at(c, place + 1);
	const struct elf_part *now;

	if (next > 0 && c->matches[next - 1].from >= part->offset) {
		*ret = c->matches[next - 1].to + (place - c->matches[next - 1].from);
		return true;
	}
	if (next < c->n_matches && c->matches[next].from < end &&
		c->matches[next].to >= c->matches[next].from - place) {
		*ret = c->matches[next].to - (c->matches[next].from - place);
		return true;
	}
	now = part_of(c->to, part->name);
	if (!now)
		return false;
	*ret = now->offset + (place - part->offset) * now->size / part->size;
	if (*length > (uint64_t)now->offset + now->size - *ret)
		*length = (uint64_t)now->offset + now->size - *ret;
	return true;
}

/* Votes for what lies in [start, end) of an old part, piece by piece: each landmark may have moved by itself. */
static void carry_part(struct carrying *c, const struct elf_part *part, uint64_t start, uint64_t end)
{
	while (start < end) {
		size_t next = match_at(c, start + 1);
		uint64_t until = end, place, length;

		if (next < c->n_matches && c->matches[next].from < end)
			until = c->matches[next].from;
		length = until - start;
		if (new_place(c, part, start, &place, &length))
			vote_for(c, place, length);
		start = until;
	}
}

/* Chooses the page with most votes that is still free, if it has a fair share. Returns whether there is one. */
static bool choose(struct carrying *c, uint32_t *ret)
{
	const struct vote *best = NULL;

	for (size_t i = 0; i < c->n_votes; i++) {
		const struct vote *vote = &c->votes[i];

		if (!c->taken[vote->page] && vote->bytes >= c->page_size / 16 &&
			(!best || vote->bytes > best->bytes ||
				(vote->bytes == best->bytes && vote->page < best->page)))
			best = vote;
	}
	if (!best)
		return false;
	c->taken[best->page] = true;
	*ret = best->page;
	return true;
}

static bool carry_page(struct carrying *c, uint32_t page, uint32_t *ret)
{
	uint64_t start = (uint64_t)page * c->page_size, end = start + c->page_size;

	c->n_votes = 0;
	if (page == 0) /* the headers, which lie in no part */
		vote(c, 0, c->page_size);
	for (size_t i = 0; i < c->from->n_parts; i++) {
		const struct elf_part *part = &c->from->parts[i];
		uint64_t part_end = (uint64_t)part->offset + part->size;

		if (part->offset < end && start < part_end)
			carry_part(c, part, start > part->offset ? start : part->offset,
				end < part_end ? end : part_end);
	}
	return choose(c, ret);
}

static int carry_range(struct carrying *c, const struct profile_range *range, struct profile_file *to)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < range->pages; i++) {
		struct profile_range carried = {0, 1, range->order + i, range->runs};

		if ((uint64_t)(range->page + i) * c->page_size > UINT32_MAX)
			return 0;
		if (carry_page(c, range->page + i, &carried.page))
			r = profile_file_add_range(to, carried);
	}
	return r;
}

int profile_file_carry(const struct profile_file *file, const struct elf_landmarks *landmarks, uint64_t size,
	uint32_t page_size, struct profile_file *to)
{
	_cleanup_(carrying_releasep) struct carrying c = {
		.from = file->landmarks, .to = landmarks, .page_size = page_size};
	uint64_t pages = size / page_size + (size % page_size != 0);
	int r;

	if (!file->landmarks || landmarks->n_parts == 0)
		return -ENODATA;
	c.pages = pages < UINT32_MAX / page_size ? (uint32_t)pages : UINT32_MAX / page_size;
	c.taken = calloc((size_t)c.pages + 1, sizeof(*c.taken));
	r = c.taken ? find_matches(&c) : -ENOMEM;
	for (size_t i = 0; r == 0 && i < file->n_ranges; i++)
		r = carry_range(&c, &file->ranges[i], to);
	if (r < 0)
		return r;
	profile_file_sort(to);
	return to->n_ranges > 0 ? 0 : -ENODATA;
}
