/* SPDX-License-Identifier: MIT */
#include "profile/edit.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

bool profile_file_same_object(const struct profile_file *a, const struct profile_file *b)
{
	return a->kind == b->kind && a->build_id_size == b->build_id_size &&
		memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

void profile_file_take_ranges(struct profile_file *file, struct profile_file *from)
{
	free(file->ranges);
	file->ranges = TAKE_PTR(from->ranges);
	file->n_ranges = from->n_ranges;
	file->ranges_capacity = from->ranges_capacity;
	from->n_ranges = from->ranges_capacity = 0;
}

static bool continues(const struct profile_range *last, const struct profile_range *page)
{
	return last->page + last->pages == page->page && last->order + last->pages == page->order &&
		last->runs == page->runs && profile_doubt_same(&last->doubt, &page->doubt);
}

static int add_page(struct profile_file *file, const struct profile_range *page)
{
	struct profile_range *last = file->n_ranges ? &file->ranges[file->n_ranges - 1] : NULL;

	if (!last || !continues(last, page))
		return profile_file_add_range(file, *page);
	last->pages++;
	return 0;
}

/* Page by page, since each can have a doubt of its own; ranges are joined again. */
int profile_file_edit(struct profile_file *file, profile_page_fn *change, void *context)
{
	_cleanup_(profile_file_releasep) struct profile_file edited = {0};

	for (size_t i = 0; i < file->n_ranges; i++) {
		const struct profile_range *range = &file->ranges[i];

		for (uint32_t j = 0; j < range->pages; j++) {
			struct profile_range page = *range;
			int r;

			page.page += j;
			page.order += j;
			page.pages = 1;
			r = change(context, &page) ? add_page(&edited, &page) : 0;
			if (r < 0)
				return r;
		}
	}
	profile_file_take_ranges(file, &edited);
	return 0;
}

int profile_keep_files(struct profile *profile, profile_file_fn *keep, void *context)
{
	size_t kept = 0;
	int r = 0;

	for (size_t i = 0; i < profile->n_files; i++) {
		struct profile_file *file = &profile->files[i];

		r = r < 0 ? r : keep(context, file);
		if (r != 0)
			profile->files[kept++] = *file;
		else
			profile_file_release(file);
	}
	profile->n_files = kept;
	string_index_release(&profile->index);
	return r < 0 ? r : 0;
}

void profile_keep_execs(struct profile *profile, profile_exec_fn *keep, const void *context)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->n_execs; i++) {
		if (i == 0 || keep(context, &profile->execs[i]))
			profile->execs[kept++] = profile->execs[i];
		else
			free(profile->execs[i].path);
	}
	profile->n_execs = kept;
	string_index_release(&profile->exec_index);
}
