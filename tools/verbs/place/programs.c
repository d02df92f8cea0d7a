/* SPDX-License-Identifier: MIT */
/* headstart place: whose starts are placed. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "lib/files/input.h"
#include "lib/programs/named-program.h"
#include "plan/store/store.h"
#include "verb.h"
#include "verbs/place/place.h"

static int add_profile(const char *path, struct place_job *job)
{
	_cleanup_(profile_releasep) struct profile profile = {0};
	int r = input_profile(path, &profile);

	if (r)
		return r;
	r = place_job_add(job, &profile);
	if (r == -EINVAL)
		return verb_fail("'%s' was recorded on a machine whose pages have another size", path);
	return r < 0 ? verb_fail_errno(r, "cannot look at the files of '%s'", path) : 0;
}

static int add_program(const char *name, struct place_job *job)
{
	_cleanup_free_ char *program = NULL, *path = NULL;
	int r = program_named(name, &program);

	if (r)
		return r;
	r = store_find(STORE_PROFILE, program, &path);
	return r < 0 ? no_profile(r, program, name) : add_profile(path, job);
}

static int is_profile(const struct dirent *entry)
{
	return ends_with(entry->d_name, STATE_PROFILE_SUFFIX);
}

static int add_entry(const char *folder, const char *name, struct place_job *job)
{
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return verb_fail_errno(ENOMEM, "cannot read '%s'", folder);
	return add_profile(path, job);
}

/* Every program that this user has recorded, in the order of the profiles' names. */
static int add_all(struct place_job *job)
{
	_cleanup_free_ char *folder = NULL;
	struct dirent **entries = NULL;
	int r = store_folder(&folder), n;

	if (r < 0)
		return verb_fail_errno(r, "cannot find the folder of plans");
	n = scandir(folder, &entries, is_profile, alphasort);
	if (n < 0 && errno != ENOENT)
		return verb_fail_errno(errno, "cannot read '%s'", folder);
	for (int i = 0; i < n; i++) {
		if (r == 0)
			r = add_entry(folder, entries[i]->d_name, job);
		free(entries[i]);
	}
	free(entries);
	if (r == 0 && job->n_programs == 0)
		return verb_fail("nothing is recorded: 'headstart record -- COMMAND' records a start");
	return r;
}

/* Those that were placed before. One whose recordings are gone is left out. */
static int add_recorded(const struct place_record *record, struct place_job *job)
{
	int r = 0;

	for (size_t i = 0; i < record->n_programs && r == 0; i++) {
		_cleanup_free_ char *path = NULL;

		if (store_find(STORE_PROFILE, record->programs[i], &path) == 0)
			r = add_profile(path, job);
		else
			verb_note("'%s' is left out: its recordings are gone", record->programs[i]);
	}
	if (r == 0 && job->n_programs == 0)
		return verb_fail("nothing is placed: 'headstart place PROGRAM' places a program");
	return r;
}

int place_add_programs(
	const struct place_arguments *arguments, const struct place_record *record, struct place_job *job)
{
	int r = 0;

	if (arguments->refresh)
		return add_recorded(record, job);
	if (arguments->all_plans)
		return add_all(job);
	for (size_t i = 0; i < arguments->n_profiles && r == 0; i++)
		r = add_profile(arguments->profiles[i], job);
	for (size_t i = 0; i < arguments->n_programs && r == 0; i++)
		r = add_program(arguments->programs[i], job);
	return r;
}
