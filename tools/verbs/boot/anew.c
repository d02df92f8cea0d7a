/* SPDX-License-Identifier: MIT */
/* What becomes of the plan of a boot when files lie elsewhere, settings have changed, or another headstart reads it. */
#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "boot/files.h"
#include "boot/keep.h"
#include "lib/settings/plan-settings.h"
#include "prefetch/outdated.h"
#include "verb.h"
#include "verbs/boot/boot.h"

int boot_make_anew(const struct config *config, bool older, bool *ret_made)
{
	_cleanup_free_ char *profile = NULL, *plan = NULL;
	struct plan_options options = {0};
	int r = boot_path(BOOT_PROFILE, &profile);

	*ret_made = false;
	if (r == 0)
		r = boot_path(BOOT_PLAN, &plan);
	if (r < 0)
		return verb_fail_errno(r, "cannot find the plan of a boot");
	if (access(plan, F_OK) < 0 || (older && !plan_is_older(plan)))
		return 0;
	plan_settings(config, &options);
	r = boot_plan_anew(profile, plan, &options);
	*ret_made = r == 0;
	return r < 0 && r != -ENOENT && r != -ENODATA ? verb_fail_errno(r, "cannot make '%s' anew", plan) : 0;
}
