/* SPDX-License-Identifier: MIT */
/* Finds the landmarks of one build in another, and moves pages by them. */
#include "profile/updates/carry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/open.h"
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
	r = elf_landmarks_read(fd, NULL, &landmarks);
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
	bool named; /* by a name, which is surer than lengths: another function may have these in the new build */
};

#define VOTES_MAX 128u /* pages that one page can become part of; others do not count */

struct vote {
	uint32_t page;
	uint64_t bytes;
	bool sure; /* a function that was called lies there */
};

/* A function that was called, in the old file. */
struct called {
	uint64_t start, end; /* bytes */
};

struct carrying {
	const struct elf_landmarks *from, *to;
	uint32_t page_size;
	uint32_t pages;              /* of the new file */
	struct elf_landmark *by_key; /* owned; those of the new file, ascending by key */
	struct match *matches;       /* owned; ascending by `from`, each once */
	size_t n_matches;
	struct called *called; /* owned; ascending, apart from one another */
	size_t n_called;
	struct profile_file *result; /* borrowed; gets the ranges */
	bool *taken;                 /* owned; for each page of the new file */
	struct vote votes[VOTES_MAX];
	size_t n_votes;
	bool sure; /* the votes that are being added */
};

static void carrying_releasep(struct carrying *carrying)
{
	free(carrying->by_key);
	free(carrying->matches);
	free(carrying->called);
	free(carrying->taken);
}

static int compare_keys(const void *a, const void *b)
{
	const struct elf_landmark *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static int index_keys(struct carrying *c)
{
	size_t n = c->to->n_marks;

	c->by_key = calloc(n + 1, sizeof(*c->by_key));
	if (!c->by_key)
		return -ENOMEM;
	if (n > 0) {
		memcpy(c->by_key, c->to->marks, n * sizeof(*c->by_key));
		qsort(c->by_key, n, sizeof(*c->by_key), compare_keys);
	}
	return 0;
}

/* Adds a match if the new file has the key. */
static void add_match(struct carrying *c, uint32_t offset, uint32_t key)
{
	const struct elf_landmark wanted = {.key = key}, *found;

	found = key == 0 || c->to->n_marks == 0
		? NULL
		: bsearch(&wanted, c->by_key, c->to->n_marks, sizeof(*c->by_key), compare_keys);
	if (found)
		c->matches[c->n_matches++] =
			(struct match){offset, found->offset, elf_landmark_is_name(found)};
}

static int compare_matches(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->named != y->named)
		return x->named ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* Sorts the matches. Of those of one place, the surest stays. */
static void sort_matches(struct carrying *c)
{
	size_t kept = 0;

	if (c->n_matches > 0)
		qsort(c->matches, c->n_matches, sizeof(*c->matches), compare_matches);
	for (size_t i = 0; i < c->n_matches; i++)
		if (kept == 0 || c->matches[i].from != c->matches[kept - 1].from)
			c->matches[kept++] = c->matches[i];
	c->n_matches = kept;
}

/* The landmarks around the hot pages, and those at the entries of called functions. */
static int find_matches(struct carrying *c, const struct profile_object *called)
{
	size_t n_calls = called ? called->n_calls : 0;

	c->matches = calloc(c->from->n_marks + 2 * n_calls + 1, sizeof(*c->matches));
	if (!c->matches)
		return -ENOMEM;
	for (size_t i = 0; i < c->from->n_marks; i++)
		add_match(c, c->from->marks[i].offset, c->from->marks[i].key);
	for (size_t i = 0; i < n_calls; i++) {
		add_match(c, called->calls[i].place.offset, called->calls[i].place.name);
		add_match(c, called->calls[i].place.offset, called->calls[i].place.lengths);
	}
	sort_matches(c);
	return 0;
}

static int compare_called(const void *a, const void *b)
{
	const struct called *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Takes the functions whose places are known, but for those that overlap the one before. */
static int take_called(struct carrying *c, const struct profile_object *called)
{
	size_t n_calls = called ? called->n_calls : 0, n = 0;

	c->called = calloc(n_calls + 1, sizeof(*c->called));
	if (!c->called)
		return -ENOMEM;
	for (size_t i = 0; i < n_calls; i++) {
		const struct profile_place *place = &called->calls[i].place;

		if (place->size > 0)
			c->called[n++] =
				(struct called){place->offset, (uint64_t)place->offset + place->size};
	}
	if (n > 0)
		qsort(c->called, n, sizeof(*c->called), compare_called);
	for (size_t i = 0; i < n; i++)
		if (c->n_called == 0 || c->called[i].start >= c->called[c->n_called - 1].end)
			c->called[c->n_called++] = c->called[i];
	return 0;
}

static void vote(struct carrying *c, uint64_t page, uint64_t bytes)
{
	if (page >= c->pages)
		return;
	for (size_t i = 0; i < c->n_votes; i++) {
		if (c->votes[i].page == page) {
			c->votes[i].bytes += bytes;
			c->votes[i].sure |= c->sure;
			return;
		}
	}
	if (c->n_votes < VOTES_MAX)
		c->votes[c->n_votes++] = (struct vote){(uint32_t)page, bytes, c->sure};
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

/* Votes for where [start, end) of an old part is now, piece by piece: each landmark may have moved by itself. */
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

/* The first called function that reaches beyond `offset`; the others follow it. */
static size_t called_at(const struct carrying *c, uint64_t offset)
{
	return ARRAY_BISECT(i, c->n_called, c->called[i].end <= offset);
}

/* The same for one page. Where functions of it were called, these alone have votes, and these are sure. */
static void carry_called(struct carrying *c, const struct elf_part *part, uint64_t start, uint64_t end)
{
	size_t i = called_at(c, start);

	if (i == c->n_called || c->called[i].start >= end)
		carry_part(c, part, start, end);
	c->sure = true;
	for (; i < c->n_called && c->called[i].start < end; i++)
		carry_part(c, part, c->called[i].start > start ? c->called[i].start : start,
			c->called[i].end < end ? c->called[i].end : end);
	c->sure = false;
}

static int add_page(struct carrying *c, uint32_t page, const struct profile_range *range)
{
	if (c->taken[page])
		return 0;
	c->taken[page] = true;
	return profile_file_add_range(c->result, (struct profile_range){page, 1, range->order, range->runs});
}

static int add_sure_pages(struct carrying *c, const struct profile_range *range)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->n_votes; i++)
		if (c->votes[i].sure)
			r = add_page(c, c->votes[i].page, range);
	return r;
}

/* Chooses the page with most votes that is still free, if it has a fair share. Returns whether there is one. */
static bool choose(const struct carrying *c, uint32_t *ret)
{
	const struct vote *best = NULL;

	for (size_t i = 0; i < c->n_votes; i++) {
		const struct vote *vote = &c->votes[i];

		if (!c->taken[vote->page] && !vote->sure && vote->bytes >= c->page_size / 16 &&
			(!best || vote->bytes > best->bytes ||
				(vote->bytes == best->bytes && vote->page < best->page)))
			best = vote;
	}
	if (best)
		*ret = best->page;
	return best;
}

/* `range` has the order and the runs of the page. */
static int carry_page(struct carrying *c, uint32_t page, const struct profile_range *range)
{
	uint64_t start = (uint64_t)page * c->page_size, end = start + c->page_size;
	uint32_t chosen;
	int r;

	c->n_votes = 0;
	if (page == 0) /* the headers, which lie in no part */
		vote(c, 0, c->page_size);
	for (size_t i = 0; i < c->from->n_parts; i++) {
		const struct elf_part *part = &c->from->parts[i];
		uint64_t part_end = (uint64_t)part->offset + part->size;

		if (part->offset < end && start < part_end)
			carry_called(c, part, start > part->offset ? start : part->offset,
				end < part_end ? end : part_end);
	}
	r = add_sure_pages(c, range);
	return r == 0 && choose(c, &chosen) ? add_page(c, chosen, range) : r;
}

static int carry_range(struct carrying *c, const struct profile_range *range)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < range->pages; i++) {
		const struct profile_range page = {0, 1, range->order + i, range->runs};

		if ((uint64_t)(range->page + i) * c->page_size > UINT32_MAX)
			return 0;
		r = carry_page(c, range->page + i, &page);
	}
	return r;
}

int profile_file_carry(const struct profile_file *file, const struct profile_object *called,
	const struct elf_landmarks *landmarks, uint64_t size, uint32_t page_size, struct profile_file *to)
{
	_cleanup_(carrying_releasep) struct carrying c = {
		.from = file->landmarks, .to = landmarks, .page_size = page_size, .result = to};
	uint64_t pages = size / page_size + (size % page_size != 0);
	int r;

	if (!file->landmarks || landmarks->n_parts == 0)
		return -ENODATA;
	c.pages = pages < UINT32_MAX / page_size ? (uint32_t)pages : UINT32_MAX / page_size;
	c.taken = calloc((size_t)c.pages + 1, sizeof(*c.taken));
	r = c.taken ? index_keys(&c) : -ENOMEM;
	if (r == 0)
		r = find_matches(&c, called);
	if (r == 0)
		r = take_called(&c, called);
	for (size_t i = 0; r == 0 && i < file->n_ranges; i++)
		r = carry_range(&c, &file->ranges[i]);
	if (r < 0)
		return r;
	profile_file_sort(to);
	return to->n_ranges > 0 ? 0 : -ENODATA;
}
