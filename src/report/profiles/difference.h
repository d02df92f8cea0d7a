/* SPDX-License-Identifier: MIT */
/* Differences between profiles, and between a profile and the disk, as text and JSON. */
#pragma once

#include "profile/compare/difference.h"
#include "report/profiles/report.h"

/* What was compared. */
struct difference_names {
	const char *program;   /* of A */
	const char *a;         /* what the user called it */
	const char *b;         /* NULL: A was compared with the files on disk */
	const char *b_program; /* of B; NULL as above */
};

/* Both return 0 or -ENOMEM. Check ferror() for write errors. */
int report_difference_text(FILE *out, const struct difference *difference,
	const struct difference_names *names, const struct report_style *style);
int report_difference_json(
	FILE *out, const struct difference *difference, const struct difference_names *names);
