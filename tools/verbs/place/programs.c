/* SPDX-License-Identifier: MIT */
/* headstart place: whose starts are placed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "lib/files/input.h"
#include "lib/programs/named-program.h"
#include "plan/store/each.h"
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

struct adding {
	struct place_job *job;
	int status;
};

static int add_next(void *context, const char *path)
{
	struct adding *adding = context;

	adding->status = add_profile(path, adding->job);
	return adding->status;
}

/* Every program that this user has recorded, in the order of the profiles' names. */
static int add_all(struct place_job *job)
{
	_cleanup_free_ char *folder = NULL;
	struct adding adding = {.job = job};
	int r = store_folder(&folder);

	if (r < 0)
		return verb_fail_errno(r, "cannot find the folder of plans");
	r = store_each(folder, STATE_PROFILE_SUFFIX, add_next, &adding);
	if (adding.status)
		return adding.status;
	if (r < 0)
		return verb_fail_errno(r, "cannot read '%s'", folder);
	if (job->n_programs == 0)
		return verb_fail("nothing is recorded: 'sudo headstart record -- COMMAND' records a start");
	return 0;
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
