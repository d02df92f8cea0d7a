/* SPDX-License-Identifier: MIT */
/* Finds a file on disk among the files of a profile: by build-id, else by path or name. */
#include "order/match.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "profile/updates/staleness.h"

static bool same_build(const struct profile_file *a, const struct profile_file *b)
{
	return a->build_id_size > 0 && a->build_id_size == b->build_id_size &&
		memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

/* The index of the first regular file of the profile for which `is` holds, or n_files. */
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

/* Files without build-ids are compared by size. */
static bool is_same(const struct profile_file *a, const struct profile_file *b)
{
	return same_build(a, b) || (a->build_id_size == 0 && b->build_id_size == 0 && a->size == b->size);
}

static bool is_path_and_build(const struct profile_file *a, const struct profile_file *b)
{
	return is_path(a, b) && same_build(a, b);
}

static bool is_name(const struct profile_file *a, const struct profile_file *b)
{
	return streq(strrchr(a->path, '/') + 1, strrchr(b->path, '/') + 1);
}

int order_match(const struct profile *profile, const char *path, struct profile_file *found,
	enum order_match *ret_match, size_t *ret_file)
{
	static bool (*const ways[])(const struct profile_file *a, const struct profile_file *b) = {
		is_path_and_build, same_build, is_path, is_name};
	_cleanup_free_ char *canonical = realpath(path, NULL);
	size_t file = profile->n_files;
	int r;

	if (!canonical)
		return -errno;
	*found = (struct profile_file){.path = canonical, .kind = PROFILE_REGULAR};
	r = profile_file_identify(found);
	for (size_t i = 0; i < 4 && r == 0 && file == profile->n_files; i++)
		file = find(profile, found, ways[i]);
	found->path = NULL;
	if (r < 0)
		return r;
	if (file == profile->n_files)
		*ret_match = ORDER_MATCH_UNKNOWN;
	else if (is_same(&profile->files[file], found))
		*ret_match = ORDER_MATCH_SAME;
	else
		*ret_match = ORDER_MATCH_STALE;
	*ret_file = file;
	return 0;
}

const struct profile_file *order_match_name(const struct profile *profile, const char *path)
{
	const struct profile_file wanted = {.path = (char *)path};
	size_t file = find(profile, &wanted, is_name);

	return file < profile->n_files ? &profile->files[file] : NULL;
}
