/* SPDX-License-Identifier: MIT */
/* Ranges of pages, by file system. */
#include "profile/metadata.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"

void profile_release_metadata(struct profile *profile)
{
	for (size_t i = 0; i < profile->n_file_systems; i++)
		free(profile->file_systems[i].ranges);
	free(profile->file_systems);
	profile->file_systems = NULL;
	profile->n_file_systems = profile->file_systems_capacity = 0;
}

/* The file system with this id, added if it is missing; NULL if there are too many. */
static int find_or_add(struct profile *profile, uint64_t id, struct profile_file_system **ret)
{
	int r;

	for (size_t i = profile->n_file_systems; i-- > 0;) {
		if (profile->file_systems[i].id == id) {
			*ret = &profile->file_systems[i];
			return 0;
		}
	}
	*ret = NULL;
	if (profile->n_file_systems >= PROFILE_FILE_SYSTEMS_MAX)
		return 0;
	r = ARRAY_RESERVE(profile->file_systems, profile->file_systems_capacity, profile->n_file_systems + 1);
	if (r < 0)
		return r;
	*ret = &profile->file_systems[profile->n_file_systems++];
	**ret = (struct profile_file_system){.id = id};
	return 0;
}

static int add_range(struct profile_file_system *system, struct profile_block_range range)
{
	int r = ARRAY_RESERVE(system->ranges, system->ranges_capacity, system->n_ranges + 1);

	if (r == 0)
		system->ranges[system->n_ranges++] = range;
	return r;
}

int profile_add_metadata(struct profile *profile, uint64_t file_system, struct profile_block_range range)
{
	struct profile_file_system *system;
	int r = find_or_add(profile, file_system, &system);

	return r < 0 || !system ? r : add_range(system, range);
}

int profile_add_metadata_of(struct profile *profile, const struct profile *from)
{
	int r = 0;

	for (size_t i = 0; i < from->n_file_systems; i++)
		for (size_t j = 0; r == 0 && j < from->file_systems[i].n_ranges; j++)
			r = profile_add_metadata(
				profile, from->file_systems[i].id, from->file_systems[i].ranges[j]);
	return r;
}

static int compare_systems(const void *a, const void *b)
{
	const struct profile_file_system *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct profile_block_range *x = a, *y = b;

	return (x->page > y->page) - (x->page < y->page);
}

static uint32_t end_of(const struct profile_block_range *range)
{
	return range->page + range->pages;
}

static void sort_ranges(struct profile_file_system *system)
{
	size_t n = 0;

	if (system->n_ranges > 1)
		qsort(system->ranges, system->n_ranges, sizeof(*system->ranges), compare_ranges);
	for (size_t i = 1; i < system->n_ranges; i++) {
		struct profile_block_range *last = &system->ranges[n], next = system->ranges[i];

		if (next.page > end_of(last))
			system->ranges[++n] = next;
		else if (end_of(&next) > end_of(last))
			last->pages = end_of(&next) - last->page;
	}
	system->n_ranges = system->n_ranges > 0 ? n + 1 : 0;
}

void profile_sort_metadata(struct profile *profile)
{
	for (size_t i = 0; i < profile->n_file_systems; i++)
		sort_ranges(&profile->file_systems[i]);
	if (profile->n_file_systems > 1)
		qsort(profile->file_systems, profile->n_file_systems, sizeof(*profile->file_systems),
			compare_systems);
}

/* Adds the ranges that both have of a file system to `into`. */
static int add_common(
	struct profile *into, const struct profile_file_system *a, const struct profile_file_system *b)
{
	int r = 0;

	for (size_t i = 0, j = 0; r == 0 && i < a->n_ranges && j < b->n_ranges;) {
		const struct profile_block_range *x = &a->ranges[i], *y = &b->ranges[j];
		uint32_t page = x->page > y->page ? x->page : y->page;
		uint32_t end = end_of(x) < end_of(y) ? end_of(x) : end_of(y);

		if (page < end)
			r = profile_add_metadata(into, a->id, (struct profile_block_range){page, end - page});
		if (end_of(x) <= end_of(y))
			i++;
		else
			j++;
	}
	return r;
}

int profile_keep_common_metadata(struct profile *profile, const struct profile *with)
{
	_cleanup_(profile_release_metadata) struct profile common = {0}; /* has nothing else */
	int r = 0;

	for (size_t i = 0; i < profile->n_file_systems; i++)
		for (size_t j = 0; r == 0 && j < with->n_file_systems; j++)
			if (profile->file_systems[i].id == with->file_systems[j].id)
				r = add_common(&common, &profile->file_systems[i], &with->file_systems[j]);
	if (r < 0)
		return r;
	profile_release_metadata(profile);
	profile->file_systems = TAKE_PTR(common.file_systems);
	profile->n_file_systems = common.n_file_systems;
	profile->file_systems_capacity = common.file_systems_capacity;
	common.n_file_systems = 0;
	return 0;
}

static bool ranges_good(const struct profile_file_system *system, uint64_t *pages)
{
	for (size_t i = 0; i < system->n_ranges; i++) {
		const struct profile_block_range *range = &system->ranges[i];

		if (range->pages == 0 || range->pages > UINT32_MAX - range->page ||
			(i > 0 && range->page <= end_of(&range[-1])))
			return false;
		*pages += range->pages;
	}
	return system->n_ranges > 0;
}

bool profile_metadata_good(const struct profile *profile)
{
	uint64_t pages = 0;

	if (profile->n_file_systems > PROFILE_FILE_SYSTEMS_MAX)
		return false;
	for (size_t i = 0; i < profile->n_file_systems; i++) {
		const struct profile_file_system *system = &profile->file_systems[i];

		if ((i > 0 && system->id <= system[-1].id) || !ranges_good(system, &pages))
			return false;
	}
	return pages <= UINT32_MAX;
}

uint64_t profile_metadata_pages(const struct profile *profile)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < profile->n_file_systems; i++)
		for (size_t j = 0; j < profile->file_systems[i].n_ranges; j++)
			pages += profile->file_systems[i].ranges[j].pages;
	return pages;
}
