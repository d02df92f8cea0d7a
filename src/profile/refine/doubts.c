/* SPDX-License-Identifier: MIT */
/* A profile without the doubts about its pages. */
#include "base/cleanup.h"
#include "profile/edit.h"
#include "profile/file/profile-file.h"
#include "profile/refine/refine.h"

int profile_serialize_planned(const struct profile *profile, void **ret_data, size_t *ret_size)
{
	_cleanup_(profile_releasep) struct profile planned = {0};
	int r = profile_copy(profile, &planned);

	if (r < 0)
		return r;
	profile_clear_doubts(&planned);
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
