/* SPDX-License-Identifier: MIT */
/*
 * Merges two profiles into one, and cuts a profile to what follows an exec point.
 *
 * Merging happens in two steps. First, all that only `from` has gets its order there plus all touches of `into`. These
 * orders are unique and in the right sequence, but have holes where both have a page. Then the orders are renumbered
 * without holes, so that touches stays a count however often profiles are merged.
 */
#include "profile/profile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "elf/landmarks.h"
#include "profile/edit.h"
#include "profile/functions.h"
#include "profile/metadata.h"

static int copy_text(char **to, const char *from)
{
	char *copy = strdup(from ? from : "");

	if (!copy)
		return -ENOMEM;
	free(*to);
	*to = copy;
	return 0;
}

static const char *const no_arguments[] = {NULL};

/* The last of them is followed by NULL (profile_set_arguments()). */
static const char *const *arguments_of(const struct profile *profile)
{
	return profile->arguments ? (const char *const *)profile->arguments : no_arguments;
}

static int copy_description(struct profile *to, const struct profile *from)
{
	int r = copy_text(&to->command, from->command);

	if (r == 0)
		r = copy_text(&to->program, from->program);
	if (r == 0)
		r = copy_text(&to->kernel, from->kernel);
	if (r == 0)
		r = copy_text(&to->device, from->device);
	if (r == 0)
		r = copy_text(&to->milestone, from->milestone);
	if (r == 0)
		r = copy_text(&to->folder, from->folder);
	if (r == 0)
		r = copy_text(&to->rule, from->rule);
	if (r == 0)
		r = copy_text(&to->asked_path, from->asked_path);
	if (r == 0)
		r = profile_set_arguments(to, arguments_of(from));
	to->asked = from->asked;
	to->status = from->status;
	to->recorded = from->recorded;
	to->page_size = from->page_size;
	to->backend = from->backend;
	return r;
}

static void forget_landmarks(struct profile_file *file)
{
	elf_landmarks_free(file->landmarks);
	file->landmarks = NULL;
}

/* The landmarks are those of `from` as well, if that is another build; else of both. Returns 0 or -ENOMEM. */
static int copy_identity(struct profile_file *to, const struct profile_file *from, bool same)
{
	if (!same)
		forget_landmarks(to);
	to->kind = from->kind;
	to->size = from->size;
	to->mtime = from->mtime;
	memcpy(to->build_id, from->build_id, sizeof(to->build_id));
	to->build_id_size = from->build_id_size;
	return elf_landmarks_add(&to->landmarks, from->landmarks);
}

/* Adds an empty file like `from` to `to`. */
static int add_like(struct profile *to, const struct profile_file *from, struct profile_file **ret)
{
	size_t index;
	int r = profile_add_file(to, from->path, from->kind, &index);

	if (r < 0)
		return r;
	to->files[index].order = from->order;
	*ret = &to->files[index];
	return copy_identity(&to->files[index], from, false);
}

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
	r = from_later ? copy_identity(to, from, !changed)
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

static int copy_profile(struct profile *to, const struct profile *from)
{
	int r = copy_description(to, from);

	to->runs = from->runs;
	to->touches = from->touches;
	to->first_touches = from->first_touches;
	to->first_pages = from->first_pages;
	to->bias = from->bias;
	for (size_t i = 0; r == 0 && i < from->n_files; i++) {
		const struct profile_file *file = &from->files[i];
		struct profile_file *copy;

		r = add_like(to, file, &copy);
		for (size_t j = 0; r == 0 && j < file->n_ranges; j++)
			r = profile_file_add_range(copy, file->ranges[j]);
	}
	for (size_t i = 0; r == 0 && i < from->n_execs; i++)
		r = profile_add_exec(to, from->execs[i].path, from->execs[i].order);
	if (r == 0)
		r = profile_functions_copy(from->functions, &to->functions);
	return r < 0 ? r : profile_add_metadata_of(to, from);
}

int profile_copy(const struct profile *profile, struct profile *ret)
{
	_cleanup_(profile_releasep) struct profile copy = {0};
	int r = copy_profile(&copy, profile);

	if (r < 0)
		return r;
	*ret = copy;
	copy = (struct profile){0};
	return 0;
}

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
		r = copy_identity(&to->files[index], file, false);
		if (r < 0)
			return r;
		to->files[index].order = file->order + base;
		r = merge_ranges(&to->files[index], cursor_over(NULL, 0),
			cursor_over(file->ranges, file->n_ranges), base, false);
	}
	return r;
}

static bool has_exec(const struct profile *profile, const char *path)
{
	for (size_t i = 0; i < profile->n_execs; i++)
		if (streq(profile->execs[i].path, path))
			return true;
	return false;
}

/* Adds the exec points that only `from` has, among the touches that only `from` has. */
static int merge_execs(struct profile *to, const struct profile *from)
{
	uint32_t base = to->touches;
	int r = 0;

	for (size_t i = 0; r == 0 && i < from->n_execs; i++)
		if (!has_exec(to, from->execs[i].path))
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
	r = copy_profile(&merged, into);
	if (r == 0 && from_later)
		r = copy_description(&merged, from);
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

/* ---- from an exec point on ---- */

/* Adds the touches of the file from `start` on, or nothing if there are none. */
static int cut_file(struct profile *to, const struct profile_file *file, uint32_t start)
{
	struct profile_file *cut = NULL;
	uint32_t first = file->order >= start ? file->order : UINT32_MAX;
	int r = 0;

	for (size_t i = 0; r == 0 && i < file->n_ranges; i++) {
		struct profile_range range = file->ranges[i];
		uint32_t before = range.order < start ? start - range.order : 0;

		if (before >= range.pages)
			continue;
		if (!cut)
			r = add_like(to, file, &cut);
		if (r < 0)
			return r;
		range.page += before;
		range.pages -= before;
		range.order += before;
		first = range.order < first ? range.order : first;
		range.order -= start;
		r = profile_file_add_range(cut, range);
	}
	if (r == 0 && !cut && first != UINT32_MAX)
		r = add_like(to, file, &cut);
	if (cut)
		cut->order = first - start;
	return r;
}

static bool is_exec(const struct profile_exec *exec, const char *name)
{
	return streq(exec->path, name) || streq(strrchr(exec->path, '/') + 1, name);
}

ssize_t profile_find_exec(const struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->n_execs; i++)
		if (is_exec(&profile->execs[i], name))
			return (ssize_t)i;
	return -ENOENT;
}

/* The recording knows with which arguments it was started, but not with which ones it executed others. */
static int forget_what_was_asked(struct profile *cut)
{
	int r = copy_text(&cut->command, cut->program);

	if (r == 0)
		r = copy_text(&cut->folder, NULL);
	if (r == 0)
		r = copy_text(&cut->rule, NULL);
	if (r == 0)
		r = copy_text(&cut->asked_path, NULL);
	if (r == 0)
		r = profile_set_arguments(cut, no_arguments);
	cut->asked = 0;
	return r;
}

int profile_from_exec(const struct profile *profile, size_t exec, struct profile *ret)
{
	_cleanup_(profile_releasep) struct profile cut = {0};
	uint32_t start;
	int r;

	if (exec >= profile->n_execs)
		return -EINVAL;
	start = profile->execs[exec].order;
	r = copy_description(&cut, profile);
	if (r == 0)
		r = copy_text(&cut.program, profile->execs[exec].path);
	if (r == 0 && exec > 0)
		r = forget_what_was_asked(&cut);
	cut.runs = profile->runs;
	cut.bias = profile->bias;
	cut.touches = profile->touches - start;
	for (size_t i = 0; r == 0 && i < profile->n_files; i++)
		r = cut_file(&cut, &profile->files[i], start);
	for (size_t i = exec; r == 0 && i < profile->n_execs; i++)
		r = profile_add_exec(&cut, profile->execs[i].path, profile->execs[i].order - start);
	if (r == 0)
		r = profile_add_metadata_of(&cut, profile); /* its order is not known */
	if (r == 0)
		r = profile_finish(&cut);
	if (r < 0)
		return r;
	*ret = cut;
	cut = (struct profile){0};
	return 0;
}
