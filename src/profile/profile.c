/* SPDX-License-Identifier: MIT */
/* A profile in memory: adds to it, sorts it, and checks what its header promises. */
#include "profile/profile.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "elf/landmarks.h"
#include "profile/functions.h"
#include "profile/metadata.h"
#include "profile/texts.h"

static void release_arguments(struct profile *profile)
{
	for (size_t i = 0; i < profile->n_arguments; i++)
		free(profile->arguments[i]);
	free(profile->arguments);
	profile->arguments = NULL;
	profile->n_arguments = 0;
}

void profile_file_release(struct profile_file *file)
{
	free(file->path);
	free(file->ranges);
	elf_landmarks_free(file->landmarks);
	*file = (struct profile_file){0};
}

void profile_release(struct profile *profile)
{
	for (size_t i = 0; i < profile->n_files; i++)
		profile_file_release(&profile->files[i]);
	for (size_t i = 0; i < profile->n_execs; i++)
		free(profile->execs[i].path);
	free(profile->files);
	free(profile->execs);
	for (size_t i = 0; i < PROFILE_TEXTS; i++)
		free(*profile_text(profile, i));
	release_arguments(profile);
	profile_release_metadata(profile);
	profile_functions_free(profile->functions);
	string_index_release(&profile->index);
	string_index_release(&profile->exec_index);
	*profile = (struct profile){0};
}

/* The index only remembers what the files say, so a lookup leaves the profile as it is. */
static ssize_t find_place(const struct profile *profile, const char *path)
{
	return string_index_find((struct string_index *)&profile->index, profile->files,
		sizeof(*profile->files), profile->n_files, path);
}

int profile_find_file(const struct profile *profile, const char *path, const struct profile_file **ret)
{
	ssize_t place = find_place(profile, path);

	if (place < 0 && place != -ENOENT)
		return (int)place;
	*ret = place < 0 ? NULL : &profile->files[place];
	return 0;
}

int profile_add_file(struct profile *profile, const char *path, enum profile_kind kind, size_t *ret_index)
{
	_cleanup_free_ char *copy = NULL;
	ssize_t found = find_place(profile, path);
	int r;

	if (found >= 0)
		*ret_index = (size_t)found;
	if (found != -ENOENT)
		return found < 0 ? (int)found : 0;
	r = ARRAY_RESERVE(profile->files, profile->files_capacity, profile->n_files + 1);
	if (r < 0)
		return r;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	profile->files[profile->n_files] = (struct profile_file){.path = TAKE_PTR(copy), .kind = kind};
	*ret_index = profile->n_files++;
	return 0;
}

int profile_file_add_range(struct profile_file *file, struct profile_range range)
{
	int r = ARRAY_RESERVE(file->ranges, file->ranges_capacity, file->n_ranges + 1);

	if (r < 0)
		return r;
	file->ranges[file->n_ranges++] = range;
	return 0;
}

size_t profile_file_range_after(const struct profile_file *file, uint64_t page)
{
	return ARRAY_BISECT(
		i, file->n_ranges, (uint64_t)file->ranges[i].page + file->ranges[i].pages <= page);
}

bool profile_has_exec(const struct profile *profile, const char *path)
{
	ssize_t place = string_index_find((struct string_index *)&profile->exec_index, profile->execs,
		sizeof(*profile->execs), profile->n_execs, path);

	for (size_t i = 0; place == -ENOMEM && i < profile->n_execs; i++)
		if (streq(profile->execs[i].path, path))
			return true;
	return place >= 0;
}

int profile_add_exec(struct profile *profile, const char *path, uint32_t order)
{
	_cleanup_free_ char *copy = strdup(path);
	int r;

	if (!copy)
		return -ENOMEM;
	r = ARRAY_RESERVE(profile->execs, profile->execs_capacity, profile->n_execs + 1);
	if (r < 0)
		return r;
	profile->execs[profile->n_execs++] = (struct profile_exec){.path = TAKE_PTR(copy), .order = order};
	return 0;
}

int profile_set_arguments(struct profile *profile, const char *const *argv)
{
	size_t n = 0;

	release_arguments(profile);
	while (argv[n])
		n++;
	if (n > PROFILE_ARGUMENTS_MAX)
		return -E2BIG;
	profile->arguments = calloc(n + 1, sizeof(*profile->arguments));
	if (!profile->arguments)
		return -ENOMEM;
	for (; profile->n_arguments < n; profile->n_arguments++) {
		char *copy = strdup(argv[profile->n_arguments]);

		if (!copy) {
			release_arguments(profile);
			return -ENOMEM;
		}
		profile->arguments[profile->n_arguments] = copy;
	}
	return 0;
}

bool profile_leave_out(struct profile *profile, const char *path)
{
	for (size_t i = 0; i < profile->n_files; i++) {
		struct profile_file *file = &profile->files[i];

		if (!streq(file->path, path))
			continue;
		profile_file_release(file);
		memmove(file, file + 1, (profile->n_files - i - 1) * sizeof(*file));
		profile->n_files--;
		string_index_release(&profile->index);
		return true;
	}
	return false;
}

static int compare_files(const void *a, const void *b)
{
	const struct profile_file *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return strcmp(x->path, y->path);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct profile_range *x = a, *y = b;

	return (x->page > y->page) - (x->page < y->page);
}

/*
 * Sorts exec points by order and keeps the sequence of equal ones: the program comes before what it executes at once.
 */
static void sort_execs(struct profile *profile)
{
	for (size_t i = 1; i < profile->n_execs; i++) {
		struct profile_exec exec = profile->execs[i];
		size_t at = i;

		for (; at > 0 && profile->execs[at - 1].order > exec.order; at--)
			profile->execs[at] = profile->execs[at - 1];
		profile->execs[at] = exec;
	}
}

static int put_program_first(struct profile *profile)
{
	struct profile_exec first;
	int r;

	if (!profile->program)
		return -EINVAL;
	if (profile->n_execs > 0 && profile->execs[0].order == 0 &&
		streq(profile->execs[0].path, profile->program))
		return 0;
	r = profile_add_exec(profile, profile->program, 0);
	if (r < 0)
		return r;
	first = profile->execs[profile->n_execs - 1];
	memmove(&profile->execs[1], &profile->execs[0], (profile->n_execs - 1) * sizeof(first));
	profile->execs[0] = first;
	return 0;
}

void profile_file_sort(struct profile_file *file)
{
	size_t n = 0;

	if (file->n_ranges == 0)
		return;
	qsort(file->ranges, file->n_ranges, sizeof(*file->ranges), compare_ranges);
	for (size_t i = 1; i < file->n_ranges; i++) {
		struct profile_range *last = &file->ranges[n], next = file->ranges[i];

		if (last->page + last->pages == next.page && last->order + last->pages == next.order &&
			last->runs == next.runs && profile_doubt_same(&last->doubt, &next.doubt))
			last->pages += next.pages;
		else
			file->ranges[++n] = next;
	}
	file->n_ranges = n + 1;
}

static void raise_touches(struct profile *profile, uint32_t order, uint32_t count)
{
	uint32_t end;

	if (!__builtin_add_overflow(order, count, &end) && profile->touches < end)
		profile->touches = end;
}

int profile_finish(struct profile *profile)
{
	int r;

	string_index_release(&profile->index);
	string_index_release(&profile->exec_index);
	for (size_t i = 0; i < profile->n_files; i++) {
		struct profile_file *file = &profile->files[i];

		profile_file_sort(file);
		raise_touches(profile, file->order, 1);
		for (size_t j = 0; j < file->n_ranges; j++)
			raise_touches(profile, file->ranges[j].order, file->ranges[j].pages);
	}
	if (profile->n_files > 0)
		qsort(profile->files, profile->n_files, sizeof(*profile->files), compare_files);
	sort_execs(profile);
	profile_sort_metadata(profile);
	r = put_program_first(profile);
	if (r < 0)
		return r;
	return profile_check(profile);
}

static bool path_good(const char *path)
{
	return path && path[0] == '/' && strnlen(path, PATH_MAX) < PATH_MAX;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* In sorted order, equal paths are neighbours. */
static int check_paths(const struct profile *profile)
{
	_cleanup_free_ const char **paths = NULL;

	if (profile->n_files == 0)
		return 0;
	paths = calloc(profile->n_files, sizeof(*paths));
	if (!paths)
		return -ENOMEM;
	for (size_t i = 0; i < profile->n_files; i++) {
		paths[i] = profile->files[i].path;
		if (!path_good(paths[i]))
			return -EINVAL;
	}
	qsort(paths, profile->n_files, sizeof(*paths), compare_paths);
	for (size_t i = 1; i < profile->n_files; i++)
		if (streq(paths[i - 1], paths[i]))
			return -EINVAL;
	return 0;
}

static bool ranges_good(const struct profile *profile, const struct profile_file *file, uint64_t *pages)
{
	uint64_t end = 0; /* of the range before: the page after its last */

	if (file->n_ranges > 0 && file->kind != PROFILE_REGULAR)
		return false;
	for (size_t i = 0; i < file->n_ranges; i++) {
		const struct profile_range *range = &file->ranges[i];

		if (range->pages == 0 || range->page < end || range->page > UINT32_MAX - range->pages)
			return false;
		if (range->order > profile->touches || range->pages > profile->touches - range->order)
			return false;
		if (range->runs == 0 || range->runs > profile->runs)
			return false;
		if (range->doubt.unsure > 1)
			return false;
		end = range->page + range->pages;
		*pages += range->pages;
	}
	return true;
}

static bool files_good(const struct profile *profile)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < profile->n_files; i++) {
		const struct profile_file *file = &profile->files[i];

		if (file->kind > PROFILE_SYMLINK || file->build_id_size > PROFILE_BUILD_ID_MAX)
			return false;
		if (file->order >= profile->touches || (i > 0 && file->order < file[-1].order))
			return false;
		if (!ranges_good(profile, file, &pages) ||
			(file->landmarks && !elf_landmarks_good(file->landmarks)))
			return false;
	}
	return pages <= UINT32_MAX;
}

static bool execs_good(const struct profile *profile)
{
	if (profile->n_execs == 0 || profile->execs[0].order != 0 || !path_good(profile->program))
		return false;
	for (size_t i = 0; i < profile->n_execs; i++) {
		const struct profile_exec *exec = &profile->execs[i];

		if (!path_good(exec->path) || exec->order > profile->touches)
			return false;
		if (i > 0 && exec->order < exec[-1].order)
			return false;
	}
	return streq(profile->execs[0].path, profile->program);
}

/* What is said of the start: paths are absolute or not known, and without a rule there is no key. */
static bool start_good(const struct profile *profile)
{
	const char *folder = profile->folder, *asked = profile->asked_path;

	if (profile->n_arguments > PROFILE_ARGUMENTS_MAX)
		return false;
	if ((folder && *folder && !path_good(folder)) || (asked && *asked && !path_good(asked)))
		return false;
	return (profile->rule && *profile->rule) || profile->asked == 0;
}

int profile_check(const struct profile *profile)
{
	uint32_t page_size = profile->page_size;
	int r;

	if (page_size < 4096 || page_size > 1u << 20 || (page_size & (page_size - 1)) != 0)
		return -EINVAL;
	if (profile->runs == 0 || profile->first_touches > profile->touches || !files_good(profile) ||
		!execs_good(profile) || !start_good(profile) || !profile_metadata_good(profile))
		return -EINVAL;
	r = profile->functions ? profile_functions_check(profile->functions) : 0;
	return r ? r : check_paths(profile);
}

uint64_t profile_file_pages(const struct profile_file *file)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < file->n_ranges; i++)
		pages += file->ranges[i].pages;
	return pages;
}

uint64_t profile_bytes(const struct profile *profile)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < profile->n_files; i++)
		pages += profile_file_pages(&profile->files[i]);
	return pages * profile->page_size;
}
