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
	size_t i = profile_file_range_after(file, page);

	return i < file->n_ranges && file->ranges[i].page <= page ? &file->ranges[i] : NULL;
}

const struct profile_exec *explain_find_exec(const struct profile *profile, uint32_t order)
{
	const struct profile_exec *found = NULL;

	for (size_t i = 0; i < profile->n_execs && profile->execs[i].order <= order; i++)
		found = &profile->execs[i];
	return found;
}
