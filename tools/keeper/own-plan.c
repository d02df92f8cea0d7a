/* SPDX-License-Identifier: MIT */
#include "keeper/own-plan.h"

#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "headstartd/carry/prefetcher.h"
#include "headstartd/look/process.h"
#include "lib/settings/settings.h"
#include "plan/asked/choose.h"
#include "plan/store/store.h"

/* Whether there is an own plan of the program: 0 or -ENOENT; or negative errno. */
static int look_for_own(const struct store *store, const char *program)
{
	_cleanup_free_ char *path = NULL;

	return store_look_in(store, 0, STATE_PLAN_SUFFIX, program, &path);
}

/* Whether it is a start of this user's that the settings allow. */
static int check(const struct own_start *start, struct process_seen *seen)
{
	struct process_owner owner;

	if (!process_owner(start->pid, &owner) || owner.user != getuid() || !process_see(seen) ||
		!process_executed(seen, start->program))
		return -ESRCH;
	return settings_permit(start->program, true).prefetch ? 0 : -EPERM;
}

int own_plan_prepare(const struct own_start *start, bool *ret_begin)
{
	struct process_seen seen = {.pid = start->pid, .executed = start->executed};
	_cleanup_(chosen_plan_releasep) struct chosen_plan chosen = {0};
	_cleanup_(process_place_release) struct asked_place place = ASKED_PLACE_HERE;
	char **arguments = NULL;
	struct store store;
	int r = store_of_process(&store);

	if (r == 0)
		r = look_for_own(&store, start->program);
	if (r == 0)
		r = check(start, &seen);
	if (r < 0)
		return r;
	if (process_place(&seen, 0, &place) == 0)
		(void)process_arguments(&seen, start->program, &arguments);
	r = plan_choose_at(&store, start->program, (const char *const *)arguments, &place, &chosen);
	process_arguments_free(arguments);
	if (r < 0)
		return r;
	/* For this start the best one may be root's, which root has carried out. */
	*ret_begin = chosen.fault == PLAN_GOOD && store_plan_is_own(chosen.path) &&
		prefetcher_is_needed(&chosen.loaded.view) &&
		prefetcher_claim(chosen.path, getuid()) == PREFETCHER_OURS;
	return 0;
}
