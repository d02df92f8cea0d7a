/* SPDX-License-Identifier: MIT */
/* A file on disk against the files of a profile: by build-id, else by path or name. */
#include "order/match.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"

static bool same_build(const struct profile_file *a, const struct profile_file *b)
{
	return a->build_id_size > 0 && a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

static bool same_name(const char *a, const char *b)
{
	return streq(strrchr(a, '/') + 1, strrchr(b, '/') + 1);
}

/* The first regular file of the profile for which `is` holds, or n_files. */
static size_t find(const struct profile *profile, const struct profile_file *wanted,
	bool (*is)(const struct profile_file *a, const struct profile_file *b))
{
	size_t i = 0;

	while (i < profile->n_files &&
		(profile->files[i].kind != PROFILE_REGULAR || !is(&profile->files[i], wanted)))
		i++;
	return i;
}

static bool is_path(const struct profile_file *a, const struct profile_file *b)
{
	return streq(a->path, b->path);
}

static bool is_name(const struct profile_file *a, const struct profile_file *b)
{
	return same_name(a->path, b->path);
}

int order_match(const struct profile *profile, const char *path, struct profile_file *found,
	enum order_match *ret_match, size_t *ret_file)
{
	_cleanup_free_ char *canonical = realpath(path, NULL);
	const struct profile_file *file;
	size_t i;
	int r;

	if (!canonical)
		return -errno;
	*found = (struct profile_file){.path = canonical, .kind = PROFILE_REGULAR};
	r = profile_file_identify(found);
	if (r == 0) {
		i = find(profile, found, same_build);
		*ret_match = i < profile->n_files ? ORDER_MATCH_SAME : ORDER_MATCH_STALE;
		if (i == profile->n_files)
			i = find(profile, found, is_path);
		if (i == profile->n_files)
			i = find(profile, found, is_name);
		file = &profile->files[i];
		if (i == profile->n_files)
			*ret_match = ORDER_MATCH_UNKNOWN;
		else if (file->build_id_size == 0 && found->build_id_size == 0 && file->size == found->size)
			*ret_match = ORDER_MATCH_SAME;
		*ret_file = i;
	}
	found->path = NULL;
	return r;
}
