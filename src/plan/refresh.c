/* SPDX-License-Identifier: MIT */
/* Reads a program's profile from the store, compiles it, and publishes the plans in the store. */
#include "plan/refresh.h"

#include "base/cleanup.h"
#include "plan/publish.h"
#include "plan/store/store.h"
#include "profile/file/profile-file.h"

static int load_recordings(const char *program, struct recordings *ret)
{
	_cleanup_free_ char *path = NULL;
	enum profile_fault fault;
	int r = store_find(STORE_PROFILE, program, &path);

	return r < 0 ? r : recordings_load(path, ret, &fault);
}

int plan_refresh(const char *program, const struct plan_options *options, struct plan_summary *ret_summary)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	int r = load_recordings(program, &recordings);

	return r < 0 ? r : plan_publish(&recordings, options, ret_summary);
}
