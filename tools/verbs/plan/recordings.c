/* SPDX-License-Identifier: MIT */
/* Which recordings 'headstart plan' compiles. */

#include "base/cleanup.h"
#include "lib/files/input.h"
#include "lib/files/stranger-refusal.h"
#include "lib/programs/named-program.h"
#include "plan/store/store.h"
#include "profile/recordings/from-exec.h"
#include "verb.h"
#include "verbs/plan/plan.h"

/* The path of a program's profile in the store. */
static int find_profile(const char *program, char **ret)
{
	_cleanup_free_ char *canonical = NULL;
	int r = program_named(program, &canonical);

	if (r)
		return r;
	r = store_find(STORE_PROFILE, canonical, ret);
	return r < 0 ? no_profile(r, canonical, program) : 0;
}

static int load(const struct plan_arguments *arguments, struct recordings *ret)
{
	_cleanup_free_ char *found = NULL;
	const char *path = arguments->profile;
	int refused = path && arguments->output ? 0 : refuse_strange_state();

	if (refused)
		return refused;
	if (!path) {
		int status = find_profile(arguments->program, &found);

		if (status)
			return status;
		path = found;
	}
	return input_recordings(path, ret);
}

int plan_merge_all(struct recordings *recordings)
{
	_cleanup_(profile_releasep) struct profile all = {0};
	int r = recordings_merge(recordings, &all);

	if (r < 0)
		return r;
	recordings_release(recordings);
	return recordings_add(recordings, &all);
}

/* Makes the recordings, merged, begin at the first execution of that program. */
static int begin_at(struct recordings *recordings, const char *name)
{
	_cleanup_(profile_releasep) struct profile rest = {0};
	int r = plan_merge_all(recordings);
	ssize_t exec;

	if (r < 0)
		return verb_fail_errno(r, "cannot begin at '%s'", name);
	exec = profile_find_exec(recordings->items, name);
	if (exec < 0)
		return verb_fail("the start of '%s' does not execute '%s'", recordings->items->program, name);
	r = profile_from_exec(recordings->items, (size_t)exec, &rest);
	if (r == 0) {
		recordings_release(recordings);
		r = recordings_add(recordings, &rest);
	}
	return r < 0 ? verb_fail_errno(r, "cannot begin at '%s'", name) : 0;
}

int plan_load_recordings(const struct plan_arguments *arguments, struct recordings *ret)
{
	int status = load(arguments, ret);

	return status || !arguments->at ? status : begin_at(ret, arguments->at);
}
