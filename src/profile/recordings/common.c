/* SPDX-License-Identifier: MIT */
/* What two recordings of a program have in common. */
#include "profile/recordings/common.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "profile/edit.h"
#include "profile/functions.h"
#include "profile/metadata.h"

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

/* Leaves of the file what `with` has as well. */
static int reduce(void *context, struct profile_file *file)
{
	_cleanup_(profile_file_releasep) struct profile_file common = {0};
	const struct profile *with = context;
	const struct profile_file *other;
	int r = profile_find_file(with, file->path, &other);

	if (r == 0 && (!other || !profile_file_same_object(file, other)))
		return 0;
	if (r == 0)
		r = intersect(file, other, &common);
	if (r < 0)
		return r;
	profile_file_take_ranges(file, &common);
	return 1;
}

static bool has_exec(const void *profile, const struct profile_exec *exec)
{
	return profile_has_exec(profile, exec->path);
}

int profile_keep_common(struct profile *into, const struct profile *with)
{
	_cleanup_(profile_releasep) struct profile common = {0};
	int r;

	if (into->page_size != with->page_size || !streq(into->program, with->program))
		return -EINVAL;
	r = profile_copy(into, &common);
	if (r == 0)
		r = profile_keep_files(&common, reduce, (void *)with);
	profile_functions_free(TAKE_PTR(common.functions));
	if (r == 0)
		r = profile_keep_common_metadata(&common, with);
	if (r < 0)
		return r;
	profile_keep_execs(&common, has_exec, with);
	r = profile_finish(&common);
	if (r < 0)
		return r;
	profile_release(into);
	*into = common;
	common = (struct profile){0};
	return 0;
}
