/* SPDX-License-Identifier: MIT */
/*
 * Merges two profiles into one, in two steps. First, all that only `from` has gets its order there plus all touches of
 * `into`. These orders are unique and in the right sequence, but have holes where both have a page. Then the orders are
 * renumbered without holes, so that touches stays a count however often profiles are merged.
 */
#include "profile/recordings/merge.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "elf/landmarks.h"
#include "profile/copy.h"
#include "profile/edit.h"
#include "profile/functions.h"
#include "profile/metadata.h"

/* ---- the ranges of one file ---- */

struct range_cursor {
	const struct profile_range *next;
	size_t n;                  /* ranges from next on */
	struct profile_range left; /* of the current range, while pages > 0 */
};

static void cursor_fill(struct range_cursor *cursor)
{
	if (cursor->left.pages > 0 || cursor->n == 0)
		return;
	cursor->left = *cursor->next++;
	cursor->n--;
}

/* Takes the first `pages` pages off the current range and returns them. */
static struct profile_range cursor_take(struct range_cursor *cursor, uint32_t pages)
{
	struct profile_range taken = cursor->left;

	taken.pages = pages;
	cursor->left.page += pages;
	cursor->left.order += pages;
	cursor->left.pages -= pages;
	cursor_fill(cursor);
	return taken;
}

/* How many pages of `a` lie before `b` begins; 0 if b begins first or both begin together. */
static uint32_t pages_before(const struct range_cursor *a, const struct range_cursor *b)
{
	if (a->left.pages == 0 || (b->left.pages > 0 && b->left.page <= a->left.page))
		return 0;
	if (b->left.pages > 0 && b->left.page - a->left.page < a->left.pages)
		return b->left.page - a->left.page;
	return a->left.pages;
}

static struct range_cursor cursor_over(const struct profile_range *ranges, size_t n)
{
	struct range_cursor cursor = {.next = ranges, .n = n};

	cursor_fill(&cursor);
	return cursor;
}

/*
 * Adds the ranges of both to `to`, with the order of `old` where `old` has the page. If the file `changed`, the pages
 * and runs of `old` belong to another file, and only its order is used.
 */
static int merge_ranges(struct profile_file *to, struct range_cursor old, struct range_cursor new,
	uint32_t base, bool changed)
{
	int r = 0;

	while (r == 0 && (old.left.pages > 0 || new.left.pages > 0)) {
		uint32_t only_old = pages_before(&old, &new), only_new = pages_before(&new, &old);
		struct profile_range range;

		if (only_old > 0) {
			range = cursor_take(&old, only_old);
			if (changed)
				continue;
		} else if (only_new > 0) {
			range = cursor_take(&new, only_new);
			range.order += base;
		} else {
			uint32_t both = old.left.pages < new.left.pages ? old.left.pages : new.left.pages;
			struct profile_range other = cursor_take(&new, both);

			range = cursor_take(&old, both);
			range.runs = changed ? other.runs : range.runs + other.runs;
			if (changed || !other.doubt.unsure)
				range.doubt = other.doubt;
		}
		r = profile_file_add_range(to, range);
	}
	return r;
}

/* `to` already holds the ranges that `into` has of the file; adds those of `from`. */
static int merge_known_file(
	struct profile_file *to, const struct profile_file *from, uint32_t base, bool from_later)
{
	_cleanup_free_ struct profile_range *old = NULL;
	bool changed = !profile_file_same_object(to, from);
	size_t n_old = to->n_ranges;
	int r;

	if (changed && !from_later)
		return 0;
	r = from_later ? profile_copy_identity(to, from, !changed)
		       : elf_landmarks_add(&to->landmarks, from->landmarks);
	if (r < 0)
		return r;
	old = TAKE_PTR(to->ranges);
	to->n_ranges = to->ranges_capacity = 0;
	return merge_ranges(
		to, cursor_over(old, n_old), cursor_over(from->ranges, from->n_ranges), base, changed);
}

/* ---- renumbering ---- */

struct event {
	uint32_t *order; /* will be renumbered */
	uint32_t count;  /* orders that it takes up: its pages; 1 for a look; 0 if it shares the next one's */
};

static int compare_events(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (*x->order != *y->order)
		return *x->order < *y->order ? -1 : 1;
	return (x->count > 0) - (y->count > 0);
}

static bool order_is_a_pages(const struct profile_file *file)
{
	for (size_t i = 0; i < file->n_ranges; i++)
		if (file->ranges[i].order == file->order)
			return true;
	return false;
}

/* Renumbers all orders from `base` on without holes, in the same sequence. Sets touches. */
static int close_holes(struct profile *profile, uint32_t base)
{
	_cleanup_free_ struct event *events = NULL;
	size_t n = 0, limit = profile->n_files + profile->n_execs;
	uint32_t next = base;

	for (size_t i = 0; i < profile->n_files; i++)
		limit += profile->files[i].n_ranges;
	events = calloc(limit, sizeof(*events));
	if (!events)
		return -ENOMEM;
	for (size_t i = 0; i < profile->n_files; i++) {
		struct profile_file *file = &profile->files[i];

		if (file->order >= base)
			events[n++] = (struct event){&file->order, order_is_a_pages(file) ? 0 : 1};
		for (size_t j = 0; j < file->n_ranges; j++)
			if (file->ranges[j].order >= base)
				events[n++] = (struct event){&file->ranges[j].order, file->ranges[j].pages};
	}
	for (size_t i = 0; i < profile->n_execs; i++)
		if (profile->execs[i].order >= base)
			events[n++] = (struct event){&profile->execs[i].order, 0};
	qsort(events, n, sizeof(*events), compare_events);
	for (size_t i = 0; i < n; i++) {
		*events[i].order = next;
		next += events[i].count;
	}
	profile->touches = next;
	return 0;
}

/* ---- whole profiles ---- */

static int merge_files(struct profile *to, const struct profile *from, bool from_later)
{
	uint32_t base = to->touches;
	int r = 0;

	for (size_t i = 0; r == 0 && i < from->n_files; i++) {
		const struct profile_file *file = &from->files[i];
		size_t known = to->n_files;
		size_t index;

		r = profile_add_file(to, file->path, file->kind, &index);
		if (r < 0)
			return r;
		if (index < known) {
			r = merge_known_file(&to->files[index], file, base, from_later);
			continue;
		}
		r = profile_copy_identity(&to->files[index], file, false);
		if (r < 0)
			return r;
		to->files[index].order = file->order + base;
		r = merge_ranges(&to->files[index], cursor_over(NULL, 0),
			cursor_over(file->ranges, file->n_ranges), base, false);
	}
	return r;
}

static int merge_execs(struct profile *to, const struct profile *from)
{
	uint32_t base = to->touches;
	int r = 0;

	for (size_t i = 0; r == 0 && i < from->n_execs; i++)
		if (!profile_has_exec(to, from->execs[i].path))
			r = profile_add_exec(to, from->execs[i].path, from->execs[i].order + base);
	return r;
}

int profile_merge(struct profile *into, const struct profile *from)
{
	_cleanup_(profile_releasep) struct profile merged = {0};
	bool from_later = from->recorded >= into->recorded;
	uint32_t base = into->touches, touches, runs;
	int r;

	r = profile_check(into);
	if (r == 0)
		r = profile_check(from);
	if (r < 0)
		return r;
	if (into->page_size != from->page_size || !streq(into->program, from->program))
		return -EINVAL;
	if (__builtin_add_overflow(into->touches, from->touches, &touches) ||
		__builtin_add_overflow(into->runs, from->runs, &runs))
		return -EOVERFLOW;
	r = profile_copy(into, &merged);
	if (r == 0 && from_later)
		r = profile_copy_description(&merged, from);
	if (r == 0)
		r = merge_files(&merged, from, from_later);
	if (r == 0)
		r = merge_execs(&merged, from);
	if (r == 0)
		r = profile_add_metadata_of(&merged, from);
	if (r == 0)
		r = profile_functions_merge(&merged.functions, from->functions);
	if (r < 0)
		return r;
	merged.runs = runs;
	merged.first_touches = merged.first_pages = 0;
	merged.bias |= from->bias;
	r = close_holes(&merged, base);
	if (r == 0)
		r = profile_finish(&merged);
	if (r < 0)
		return r;
	profile_release(into);
	*into = merged;
	merged = (struct profile){0};
	return 0;
}
