/* SPDX-License-Identifier: MIT */
/* Computes the order of opens and reads. */
#include "prefetch/schedule.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

/* Writes first the indices below count that are in `first`, then the others; each group keeps its order. */
static uint32_t arrange(uint32_t *order, const bool *first, uint32_t count)
{
	uint32_t n = 0, n_first;

	for (uint32_t i = 0; i < count; i++)
		if (first[i])
			order[n++] = i;
	n_first = n;
	for (uint32_t i = 0; i < count; i++)
		if (!first[i])
			order[n++] = i;
	return n_first;
}

int schedule_init(struct schedule *schedule, const struct plan_view *plan, bool lead_first)
{
	_cleanup_free_ bool *files = calloc(plan->file_count + 1, sizeof(*files));
	_cleanup_free_ bool *extents = calloc(plan->extent_count + 1, sizeof(*extents));

	*schedule = (struct schedule){
		.files = calloc(plan->file_count + 1, sizeof(*schedule->files)),
		.extents = calloc(plan->extent_count + 1, sizeof(*schedule->extents)),
	};
	if (!files || !extents || !schedule->files || !schedule->extents) {
		schedule_release(schedule);
		return -ENOMEM;
	}
	for (uint32_t i = 0; lead_first && i < plan->extent_count; i++) {
		extents[i] = LE32(plan->extents[i].order) < SCHEDULE_LEAD_TOUCHES;
		files[LE32(plan->extents[i].file)] |= extents[i];
	}
	schedule->lead_files = arrange(schedule->files, files, plan->file_count);
	schedule->lead_extents = arrange(schedule->extents, extents, plan->extent_count);
	return 0;
}

void schedule_release(struct schedule *schedule)
{
	free(schedule->files);
	free(schedule->extents);
	*schedule = (struct schedule){0};
}
