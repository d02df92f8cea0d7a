/* SPDX-License-Identifier: MIT */
#include "explain/touch.h"

#include <string.h>

#include "base/strings.h"

const struct profile_file *explain_find_file(const struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->n_files; i++)
		if (streq(profile->files[i].path, name))
			return &profile->files[i];
	if (strchr(name, '/'))
		return NULL;
	for (size_t i = 0; i < profile->n_files; i++)
		if (streq(strrchr(profile->files[i].path, '/') + 1, name))
			return &profile->files[i];
	return NULL;
}

const struct profile_range *explain_find_range(const struct profile_file *file, uint64_t page)
{
	size_t low = 0, high = file->n_ranges;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct profile_range *range = &file->ranges[middle];

		if ((uint64_t)range->page + range->pages <= page)
			low = middle + 1;
		else if (range->page > page)
			high = middle;
		else
			return range;
	}
	return NULL;
}

const struct profile_exec *explain_find_exec(const struct profile *profile, uint32_t order)
{
	const struct profile_exec *found = NULL;

	for (size_t i = 0; i < profile->n_execs && profile->execs[i].order <= order; i++)
		found = &profile->execs[i];
	return found;
}
