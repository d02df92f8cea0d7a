/* SPDX-License-Identifier: MIT */
/* What two recordings of a program have in common. */
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "profile/metadata.h"

static bool same_object(const struct profile_file *a, const struct profile_file *b)
{
	return a->kind == b->kind && a->build_id_size == b->build_id_size &&
		memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

/* The part of `range` in [page, end), which is not empty. */
static struct profile_range part_of(struct profile_range range, uint32_t page, uint32_t end)
{
	return (struct profile_range){
		page, end - page, range.order + (page - range.page), range.runs, range.doubt};
}

/* *ret gets the pages that both have. Both have their ranges by page, without overlaps. */
static int intersect(
	const struct profile_file *file, const struct profile_file *with, struct profile_file *ret)
{
	int r = 0;

	for (size_t i = 0, j = 0; r == 0 && i < file->n_ranges && j < with->n_ranges;) {
		const struct profile_range *a = &file->ranges[i], *b = &with->ranges[j];
		uint32_t a_end = a->page + a->pages, b_end = b->page + b->pages;
		uint32_t page = a->page > b->page ? a->page : b->page;
		uint32_t end = a_end < b_end ? a_end : b_end;

		if (page < end)
			r = profile_file_add_range(ret, part_of(*a, page, end));
		if (a_end <= b_end)
			i++;
		else
			j++;
	}
	return r;
}

/* Puts what both have of the file in place of its ranges. */
static int reduce(struct profile_file *file, const struct profile_file *with)
{
	struct profile_file common = {0};
	int r = intersect(file, with, &common);

	if (r < 0) {
		free(common.ranges);
		return r;
	}
	free(file->ranges);
	file->ranges = common.ranges;
	file->n_ranges = common.n_ranges;
	file->ranges_capacity = common.ranges_capacity;
	return 0;
}

static bool has_exec(const struct profile *profile, const char *path)
{
	for (size_t i = 0; i < profile->n_execs; i++)
		if (streq(profile->execs[i].path, path))
			return true;
	return false;
}

static void drop_execs(struct profile *profile, const struct profile *with)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->n_execs; i++) {
		if (has_exec(with, profile->execs[i].path))
			profile->execs[kept++] = profile->execs[i];
		else
			free(profile->execs[i].path);
	}
	profile->n_execs = kept;
}

/* Takes out the files that `with` does not have, and of the others the pages that it does not have. */
static int reduce_files(struct profile *profile, const struct profile *with)
{
	size_t kept = 0, i;
	int r = 0;

	for (i = 0; r == 0 && i < profile->n_files; i++) {
		struct profile_file *file = &profile->files[i];
		const struct profile_file *other = NULL;

		r = profile_find_file(with, file->path, &other);
		if (r == 0 && (!other || !same_object(file, other))) {
			profile_file_release(file);
			continue;
		}
		if (r == 0)
			r = reduce(file, other);
		profile->files[kept++] = *file;
	}
	for (; i < profile->n_files; i++)
		profile->files[kept++] = profile->files[i];
	profile->n_files = kept;
	return r;
}

int profile_keep_common(struct profile *into, const struct profile *with)
{
	_cleanup_(profile_releasep) struct profile common = {0};
	int r;

	if (into->page_size != with->page_size || !streq(into->program, with->program))
		return -EINVAL;
	r = profile_copy(into, &common);
	if (r == 0)
		r = reduce_files(&common, with);
	if (r == 0)
		r = profile_keep_common_metadata(&common, with);
	if (r < 0)
		return r;
	drop_execs(&common, with);
	r = profile_finish(&common);
	if (r < 0)
		return r;
	profile_release(into);
	*into = common;
	common = (struct profile){0};
	return 0;
}
