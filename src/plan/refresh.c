/* SPDX-License-Identifier: MIT */
/* Reads a program's profile from the store, compiles it, and publishes the plan in the store. */
#include "plan/refresh.h"

#include "base/cleanup.h"
#include "plan/build.h"
#include "plan/signs.h"
#include "plan/store.h"
#include "profile/profile-file.h"

static int load_profile(const char *program, struct profile *ret)
{
	_cleanup_free_ char *path = NULL;
	enum profile_fault fault;
	int r = store_find(STORE_PROFILE, program, &path);

	return r < 0 ? r : profile_load(path, ret, &fault);
}

int plan_refresh(const char *program, const struct plan_options *options, struct plan_summary *ret_summary)
{
	_cleanup_(profile_releasep) struct profile profile = {0};
	_cleanup_free_ char *path = NULL;
	_cleanup_free_ void *data = NULL;
	size_t size;
	int r = load_profile(program, &profile);

	if (r < 0)
		return r;
	r = plan_build(&profile, options, &data, &size, ret_summary);
	if (r < 0)
		return r;
	r = store_path_for_writing(STORE_PLAN, program, &path);
	if (r < 0)
		return r;
	r = store_publish_plan(path, store_mode(), data, size);
	if (r == 0)
		(void)signs_publish(program); /* a missing sign only costs a wait */
	return r;
}
