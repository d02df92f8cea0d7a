/* SPDX-License-Identifier: MIT */
/* Compares profiles with each other and with the disk. */
#include "profile/compare/difference.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "profile/updates/staleness.h"

static bool is_same_build(const struct profile_file *a, const struct profile_file *b)
{
	if (a->kind != b->kind || a->build_id_size != b->build_id_size)
		return false;
	if (a->kind != PROFILE_REGULAR)
		return true;
	return a->build_id_size > 0 ? memcmp(a->build_id, b->build_id, a->build_id_size) == 0
				    : a->size == b->size;
}

static uint64_t range_end(const struct profile_range *range)
{
	return (uint64_t)range->page + range->pages;
}

/* Pages that lie in ranges of both files. */
static uint64_t common_pages(const struct profile_file *a, const struct profile_file *b)
{
	uint64_t common = 0;

	for (size_t i = 0, j = 0; i < a->n_ranges && j < b->n_ranges;) {
		const struct profile_range *x = &a->ranges[i], *y = &b->ranges[j];
		uint64_t from = x->page > y->page ? x->page : y->page;
		uint64_t to = range_end(x) < range_end(y) ? range_end(x) : range_end(y);

		if (to > from)
			common += to - from;
		if (range_end(x) <= range_end(y))
			i++;
		else
			j++;
	}
	return common;
}

static struct difference_file compare_file(const struct profile_file *a, const struct profile_file *b)
{
	struct difference_file result = {.path = a ? a->path : b->path};

	result.pages.only_a = a ? profile_file_pages(a) : 0;
	result.pages.only_b = b ? profile_file_pages(b) : 0;
	if (!a || !b) {
		result.state = a ? DIFFERENCE_ONLY_A : DIFFERENCE_ONLY_B;
	} else if (!is_same_build(a, b)) {
		result.state = DIFFERENCE_CHANGED;
	} else {
		result.state = DIFFERENCE_SAME;
		result.pages.both = common_pages(a, b);
		result.pages.only_a -= result.pages.both;
		result.pages.only_b -= result.pages.both;
	}
	return result;
}

static void add_up(struct difference *difference)
{
	for (size_t i = 0; i < difference->n_files; i++) {
		const struct difference_file *file = &difference->files[i];

		difference->counts[file->state]++;
		difference->pages.only_a += file->pages.only_a;
		difference->pages.only_b += file->pages.only_b;
		difference->pages.both += file->pages.both;
	}
}

/* Puts each file of A in its place, and those that only B has behind them, in the order of B. */
static int compare_all(const struct profile *a, const struct profile *b, struct difference *difference)
{
	_cleanup_free_ bool *met = calloc(a->n_files + 1, sizeof(*met));
	size_t n = a->n_files;

	if (!met)
		return -ENOMEM;
	for (size_t i = 0; i < b->n_files; i++) {
		const struct profile_file *file = &b->files[i], *same;
		int r = profile_find_file(a, file->path, &same);

		if (r < 0)
			return r;
		difference->files[same ? same - a->files : (ssize_t)n++] = compare_file(same, file);
		if (same)
			met[same - a->files] = true;
	}
	for (size_t i = 0; i < a->n_files; i++)
		if (!met[i])
			difference->files[i] = compare_file(&a->files[i], NULL);
	difference->n_files = n;
	return 0;
}

int difference_of_profiles(const struct profile *a, const struct profile *b, struct difference *ret)
{
	struct difference difference = {.page_size = a->page_size};
	int r;

	if (a->page_size != b->page_size)
		return -EINVAL;
	difference.files = calloc(a->n_files + b->n_files + 1, sizeof(*difference.files));
	if (!difference.files)
		return -ENOMEM;
	r = compare_all(a, b, &difference);
	if (r < 0) {
		difference_release(&difference);
		return r;
	}
	add_up(&difference);
	*ret = difference;
	return 0;
}

static enum difference_state state_on_disk(const struct profile_file *file)
{
	if (file->kind != PROFILE_SYMLINK && access(file->path, R_OK) < 0 && errno == EACCES)
		return DIFFERENCE_HIDDEN;
	switch (profile_file_staleness(file, 1)) {
	case PROFILE_FRESH:
		return DIFFERENCE_SAME;
	case PROFILE_CHANGED:
		return DIFFERENCE_CHANGED;
	case PROFILE_GONE:
		break;
	}
	return DIFFERENCE_GONE;
}

int difference_from_disk(const struct profile *profile, struct difference *ret)
{
	struct difference difference = {.page_size = profile->page_size, .n_files = profile->n_files};

	difference.files = calloc(profile->n_files + 1, sizeof(*difference.files));
	if (!difference.files)
		return -ENOMEM;
	for (size_t i = 0; i < profile->n_files; i++) {
		const struct profile_file *file = &profile->files[i];
		struct difference_file *result = &difference.files[i];
		uint64_t pages = profile_file_pages(file);

		result->path = file->path;
		result->state = state_on_disk(file);
		if (result->state == DIFFERENCE_SAME)
			result->pages.both = pages;
		else
			result->pages.only_a = pages;
	}
	add_up(&difference);
	*ret = difference;
	return 0;
}

void difference_release(struct difference *difference)
{
	free(difference->files);
	*difference = (struct difference){0};
}
