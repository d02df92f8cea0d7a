/* SPDX-License-Identifier: MIT */
/* Puts names that are in memory into the profile of a snapshot. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "snapshot/collect.h"

int snapshot_add_name(struct snapshot *snapshot, const char *path, enum profile_kind kind, size_t *ret_file)
{
	size_t before = snapshot->profile.n_files;
	int r = profile_add_file(&snapshot->profile, path, kind, ret_file);

	if (r < 0)
		return r;
	if (kind != PROFILE_REGULAR)
		snapshot->profile.files[*ret_file].n_ranges = 0; /* another file had that name just before */
	snapshot->profile.files[*ret_file].kind = kind;
	if (snapshot->profile.n_files == before)
		return 0;
	if (snapshot->touches == UINT32_MAX)
		return -EFBIG;
	snapshot->profile.files[*ret_file].order = snapshot->touches++;
	return 0;
}

int snapshot_add_folders_to(struct snapshot *snapshot, const char *path)
{
	char folder[PATH_MAX];
	size_t file;

	if (strlen(path) >= sizeof(folder))
		return -ENAMETOOLONG;
	for (size_t length = 1; path[length]; length++) {
		int r;

		if (length > 1 && path[length] != '/')
			continue;
		memcpy(folder, path, length);
		folder[length] = '\0';
		r = snapshot_add_name(snapshot, folder, PROFILE_DIRECTORY, &file);
		if (r < 0)
			return r;
	}
	return 0;
}
