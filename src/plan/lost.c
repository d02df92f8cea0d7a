/* SPDX-License-Identifier: MIT */
/* Compares a profile with the disk and with plans. */
#include "plan/lost.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "profile/file/profile-file.h"
#include "profile/recordings/recordings.h"
#include "profile/updates/carry.h"
#include "profile/updates/staleness.h"

struct search {
	const struct store *store;
	const struct plan_view *plans;
	size_t n_plans;
};

struct loss {
	const struct profile_file *file;
	uint64_t pages;
	bool program;
};

void lost_files_release(struct lost_files *lost)
{
	for (size_t i = 0; i < lost->n_named; i++)
		free(lost->named[i]);
	*lost = (struct lost_files){0};
}

static bool is_planned(const struct search *search, const char *path)
{
	for (size_t i = 0; i < search->n_plans; i++)
		for (uint32_t file = 0; file < search->plans[i].file_count; file++)
			if (streq(plan_file_path(&search->plans[i], file), path))
				return true;
	return false;
}

/* Whether a plan has the library that took the place of this one. */
static bool successor_is_planned(const struct search *search, const char *path)
{
	char full[PATH_MAX], name[NAME_MAX + 1], now[PATH_MAX];
	int folder = (int)(strrchr(path, '/') + 1 - path);

	return snprintf(full, sizeof(full), "%s%s", search->store->root, path) < (int)sizeof(full) &&
		profile_file_successor(full, name) == 0 &&
		snprintf(now, sizeof(now), "%.*s%s", folder, path, name) < (int)sizeof(now) &&
		is_planned(search, now);
}

/* A file that this user may not look at counts as fresh. */
static enum profile_staleness staleness_of(const struct search *search, const struct profile_file *file)
{
	struct profile_file here = *file;
	char full[PATH_MAX];

	if (snprintf(full, sizeof(full), "%s%s", search->store->root, file->path) >= (int)sizeof(full))
		return PROFILE_GONE;
	if (file->kind != PROFILE_SYMLINK && access(full, R_OK) < 0 && errno == EACCES)
		return PROFILE_FRESH;
	here.path = full;
	return profile_file_staleness(&here, 1);
}

static int compare_losses(const void *a, const void *b)
{
	const struct loss *x = a, *y = b;

	if (x->program != y->program)
		return x->program ? -1 : 1;
	if (x->pages != y->pages)
		return x->pages > y->pages ? -1 : 1;
	return strcmp(x->file->path, y->file->path);
}

static int name_most_important(struct loss *losses, size_t n, struct lost_files *lost)
{
	if (n > 1)
		qsort(losses, n, sizeof(*losses), compare_losses);
	for (size_t i = 0; i < n && i < LOST_NAMED_MAX; i++) {
		lost->named[i] = strdup(losses[i].file->path);
		if (!lost->named[i])
			return -ENOMEM;
		lost->n_named++;
	}
	return 0;
}

static int find_in(const struct search *search, const struct profile *profile, struct lost_files *lost)
{
	_cleanup_free_ struct loss *losses = calloc(profile->n_files + 1, sizeof(*losses));
	size_t n = 0;

	if (!losses)
		return -ENOMEM;
	lost->files = profile->n_files;
	lost->page_size = profile->page_size;
	for (size_t i = 0; i < profile->n_files; i++) {
		const struct profile_file *file = &profile->files[i];
		struct loss loss = {file, profile_file_pages(file), streq(file->path, profile->program)};
		enum profile_staleness staleness = staleness_of(search, file);

		lost->pages += loss.pages;
		if (staleness == PROFILE_FRESH || is_planned(search, file->path) ||
			(staleness == PROFILE_GONE && successor_is_planned(search, file->path)))
			continue;
		lost->changed += staleness == PROFILE_CHANGED;
		lost->gone += staleness == PROFILE_GONE;
		lost->lost += loss.pages;
		lost->program |= loss.program;
		losses[n++] = loss;
	}
	return name_most_important(losses, n, lost);
}

static int load(const struct store *store, const char *program, struct recordings *ret)
{
	_cleanup_free_ char *path = NULL, *full = NULL;
	enum profile_fault fault;
	int r = store_look_up(store, STORE_PROFILE, program, &path);

	if (r < 0)
		return r;
	if (asprintf(&full, "%s%s", store->root, path) < 0) {
		full = NULL;
		return -ENOMEM;
	}
	return recordings_load(full, ret, &fault);
}

int lost_files_find(const struct store *store, const char *program, const struct plan_view *plans, size_t n,
	struct lost_files *ret)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	_cleanup_(lost_files_releasep) struct lost_files lost = {0};
	_cleanup_(profile_releasep) struct profile all = {0};
	const struct search search = {store, plans, n};
	int r = load(store, program, &recordings);

	if (r == 0)
		r = recordings_merge(&recordings, &all);
	if (r == 0)
		r = find_in(&search, &all, &lost);
	if (r < 0)
		return r;
	*ret = lost;
	lost = (struct lost_files){0};
	return 0;
}
