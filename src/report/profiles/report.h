/* SPDX-License-Identifier: MIT */
/* Profiles and plans for people (text) and for programs (JSON). */
#pragma once

#include <stdio.h>

#include "format/plan-view.h"
#include "profile/recordings/recordings.h"
#include "report/style.h"

/*
 * Both return 0 or -ENOMEM. Check ferror() for write errors. `profile` is all of the recordings together, and is printed
 * with the rule and the key of each.
 */
int report_profile_text(FILE *out, const struct profile *profile, const struct recordings *recordings,
	const struct report_style *style);
int report_plan_text(FILE *out, const struct plan_view *plan, const struct report_style *style);

/* One JSON object, as headstart-profile(5) describes it. Each byte of a path that is not UTF-8 becomes U+FFFD. */
int report_profile_json(FILE *out, const struct profile *profile, const struct recordings *recordings);
int report_plan_json(FILE *out, const struct plan_view *plan);
