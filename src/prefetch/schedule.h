/* SPDX-License-Identifier: MIT */
/*
 * The order in which the files of a plan are opened and its extents read: the plan's own, or with its lead first.
 *
 * The lead is what the start touches in its first moments. A program that runs alongside on a rotational disk needs it
 * at once, and fetches it page by page, moving the head to and fro between its own reads and ours. Reading the lead
 * first costs one more sweep of the head and saves dozens of such turns (docs/measurements.md).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/plan-view.h"

#define SCHEDULE_LEAD_TOUCHES 128u /* extents first touched before this many touches form the lead */

struct schedule {
	uint32_t *files;       /* owned; indices of plan->files */
	uint32_t *extents;     /* owned; indices of plan->extents */
	uint32_t lead_files;   /* the first so many of files: they hold the lead's extents */
	uint32_t lead_extents; /* the first so many of extents */
};

/* Returns 0 or -ENOMEM; then there is nothing to release. */
int schedule_init(struct schedule *schedule, const struct plan_view *plan, bool lead_first);
void schedule_release(struct schedule *schedule);
