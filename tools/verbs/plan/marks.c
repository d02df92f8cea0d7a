/* SPDX-License-Identifier: MIT */
/* headstart plan --mark-stale: what a package manager calls after an upgrade. It reads plans, and looks at files. */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "lib/files/no-state-folder.h"
#include "lib/files/stranger-refusal.h"
#include "lib/print/page-style.h"
#include "plan/store/each.h"
#include "plan/store/load.h"
#include "plan/store/store.h"
#include "prefetch/outdated.h"
#include "prefetch/stale-mark.h"
#include "verb.h"
#include "verbs/plan/plan.h"

/* A link is the sign of a plan that has its own name in the folder, and a damaged plan is compiled anew anyway. */
static bool is_outdated(const char *path)
{
	_cleanup_(loaded_plan_releasep) struct loaded_plan plan = {0};
	struct stat st;

	if (plan_is_older(path))
		return true;
	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && plan_load_path(path, &plan, NULL) == 0 &&
		plan_is_outdated(&plan.view, st.st_uid);
}

static int mark_plan(void *context, const char *path)
{
	int *status = context;

	if (!is_outdated(path))
		return 0;
	if (plan_mark_stale(path))
		page_line("stale    ", path, "");
	else
		*status = verb_fail("cannot mark '%s'", path);
	return 0;
}

int plan_mark_plans(void)
{
	_cleanup_free_ char *state = NULL;
	int status = refuse_strange_state();
	int r = status ? 0 : store_folder(&state);

	if (status)
		return status;
	if (r < 0)
		return no_state_folder(r, NULL);
	r = store_each(state, STATE_PLAN_SUFFIX, mark_plan, &status);
	return r < 0 ? verb_fail_errno(r, "cannot read '%s'", state) : status;
}
