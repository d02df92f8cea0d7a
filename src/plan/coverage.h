/* SPDX-License-Identifier: MIT */
/* How much of what was recorded a plan still covers on this machine. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/plan-view.h"

struct plan_coverage {
	uint64_t recorded; /* pages: those of the plan without gaps, and those that it was made without */
	uint64_t lost;     /* of them, those that it was made without: their files had changed or were gone */
	uint64_t outdated; /* of them, those in files that have changed or gone since it was made */
	uint64_t guessed;  /* of them, those of updated files, which no start has confirmed */
	uint32_t changed, gone; /* files of the plan */
	uint32_t hidden;        /* files in folders that are closed to this user: they count as unchanged */
	bool lost_program, outdated_program; /* the same of the program's own file */
};

/* Looks at every file of the plan below the root ("": no root). Reads none. Returns 0 or -ENOMEM. */
int plan_coverage_of(const struct plan_view *plan, const char *root, struct plan_coverage *ret);

/*
 * Whether that many of the recorded pages are worth a word to the user. A few are not: some files change with every
 * start or with every package that is installed (/etc/ld.so.cache), and a plan without them gains as much.
 */
static inline bool plan_coverage_is_much(const struct plan_coverage *coverage, uint64_t pages)
{
	return pages > coverage->recorded / 10;
}

/* Whether the plan should be compiled anew. */
static inline bool plan_coverage_is_stale(const struct plan_coverage *coverage)
{
	return coverage->outdated_program || plan_coverage_is_much(coverage, coverage->outdated);
}

/* Whether compiling it anew is not enough: what was recorded is there no more. */
static inline bool plan_coverage_is_worn(const struct plan_coverage *coverage)
{
	return coverage->lost_program || plan_coverage_is_much(coverage, coverage->lost);
}
