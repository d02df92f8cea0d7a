/* SPDX-License-Identifier: MIT */
/* What carrying out a plan would do here. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "prefetch/plan-job.h"
#include "prefetch/planned-file.h"
#include "prefetch/residency.h"

/* Looks at each file, in the order of the plan. fresh[] gets whether its data would be read. */
static void examine_files(const struct plan_view *plan, bool *fresh, struct prefetch_result *result)
{
	for (uint32_t i = 0; i < plan->file_count; i++) {
		uint64_t size = 0;
		_cleanup_close_ int fd = planned_file_open(plan, i, &size);

		fresh[i] = fd >= 0;
		if (fd >= 0 || fd == -ENODATA)
			result->opened++;
		else
			plan_job_count_failure(result, fd);
	}
}

int prefetch_examine(const struct plan_view *plan, struct prefetch_result *ret)
{
	_cleanup_free_ bool *fresh = calloc((size_t)plan->file_count + 1, sizeof(*fresh));
	struct prefetch_result result = {0};
	int r;

	if (!fresh)
		return -ENOMEM;
	examine_files(plan, fresh, &result);
	for (uint32_t i = 0; i < plan->extent_count; i++) {
		const struct plan_extent *extent = &plan->extents[i];
		uint32_t file = LE32(extent->file);
		uint64_t offset;

		if (fresh[file])
			result.bytes_asked +=
				planned_extent_range(plan, extent, LE64(plan->files[file].size), &offset);
	}
	r = residency_of_plan(plan, &result.bytes_resident_before);
	result.verify_blind = r == -EPERM;
	if (r < 0 && r != -EPERM)
		return r;
	*ret = result;
	return 0;
}
