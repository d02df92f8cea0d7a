/* SPDX-License-Identifier: MIT */
/* The doubts of all pages of a profile: how many there are, and the profile without them. */
#include "base/cleanup.h"
#include "profile/edit.h"
#include "profile/file/profile-file.h"
#include "profile/refine/refine.h"

typedef bool doubt_fn(const struct profile_doubt *doubt);

static bool is_out(const struct profile_doubt *doubt)
{
	return doubt->out;
}

static bool is_unsure(const struct profile_doubt *doubt)
{
	return doubt->unsure;
}

static uint64_t count(const struct profile *profile, doubt_fn *counts)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < profile->n_files; i++)
		for (size_t j = 0; j < profile->files[i].n_ranges; j++)
			if (counts(&profile->files[i].ranges[j].doubt))
				pages += profile->files[i].ranges[j].pages;
	return pages;
}

uint64_t profile_count_out(const struct profile *profile)
{
	return count(profile, is_out);
}

uint64_t profile_count_unsure(const struct profile *profile)
{
	return count(profile, is_unsure);
}

static bool forget_counts(void *context, struct profile_range *page)
{
	page->doubt = (struct profile_doubt){.out = page->doubt.out};
	return true;
}

int profile_serialize_planned(const struct profile *profile, void **ret_data, size_t *ret_size)
{
	_cleanup_(profile_releasep) struct profile planned = {0};
	int r = profile_copy(profile, &planned);

	for (size_t i = 0; r == 0 && i < planned.n_files; i++)
		r = profile_file_edit(&planned.files[i], forget_counts, NULL);
	if (r < 0)
		return r;
	planned.first_touches = planned.first_pages = 0;
	planned.bias = 0;
	return profile_serialize(&planned, ret_data, ret_size);
}

void profile_clear_doubts(struct profile *profile)
{
	for (size_t i = 0; i < profile->n_files; i++) {
		struct profile_file *file = &profile->files[i];

		for (size_t j = 0; j < file->n_ranges; j++)
			file->ranges[j].doubt = (struct profile_doubt){0};
		profile_file_sort(file);
	}
}
