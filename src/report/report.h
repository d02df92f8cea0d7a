/* SPDX-License-Identifier: MIT */
/* Profiles and plans for people (text) and for programs (JSON). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "format/plan-view.h"
#include "profile/profile.h"

struct report_style {
	size_t columns; /* width of the page; long paths lose their beginning */
	size_t rows;    /* of a table at most */
	bool utf8;      /* may print more than ASCII */
	bool colour;    /* may print escape sequences */
};

/* Whether all was written is ferror()'s to tell. Return 0 or -ENOMEM. */
int report_profile_text(FILE *out, const struct profile *profile, const struct report_style *style);
int report_plan_text(FILE *out, const struct plan_view *plan, const struct report_style *style);

/* One JSON object, as headstart-profile(5) describes it. Bytes of a path that are not UTF-8 become U+FFFD. */
int report_profile_json(FILE *out, const struct profile *profile);
int report_plan_json(FILE *out, const struct plan_view *plan);
