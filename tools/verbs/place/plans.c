/* SPDX-License-Identifier: MIT */
/* headstart place: what becomes of plans whose files lie elsewhere now. */
#include <errno.h>

#include "base/cleanup.h"
#include "lib/files/store-turn.h"
#include "lib/settings/plan-settings.h"
#include "lib/settings/settings.h"
#include "plan/refresh.h"
#include "plan/store/store.h"
#include "verb.h"
#include "verbs/boot/boot.h"
#include "verbs/place/place.h"

int place_find_plans(const struct place_record *record, struct place_programs *ret)
{
	_cleanup_free_ char *folder = NULL;
	int r = store_folder(&folder);

	if (r == 0)
		r = place_find_planned(folder, record, ret);
	return r < 0 ? verb_fail_errno(r, "cannot find the plans of placed files") : 0;
}

static int plan_anew(const struct config *config, const char *program)
{
	_cleanup_free_ char *plan = NULL, *why = NULL;
	struct plan_options options = {0};
	struct plan_summary summary = {0};
	char rule[ASKED_RULE_MAX];
	int r;

	if (store_find(STORE_PLAN, program, &plan) < 0 || !store_plan_is_own(plan) ||
		!settings_allow(config, program, &why))
		return 0;
	plan_settings(config, &options);
	plan_host(program, rule, &options);
	r = plan_refresh(program, &options, &summary);
	return r < 0 && r != -ENOENT && r != -ENODATA
		? verb_fail_errno(r, "cannot compile the profile of '%s' anew", program)
		: 0;
}

int place_plan_anew(const struct place_programs *programs)
{
	_cleanup_(config_releasep) struct config config = {0};
	bool made;
	int status;

	settings_read(&config, true, false);
	status = boot_make_anew(&config, false, &made);
	for (size_t i = 0; i < programs->n; i++) {
		_cleanup_close_ int turn = -1;
		int r = store_turn_take(&turn);

		if (r)
			return r;
		if (plan_anew(&config, programs->items[i]))
			status = VERB_FAILED;
	}
	return status;
}
