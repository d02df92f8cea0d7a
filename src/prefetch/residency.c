/* SPDX-License-Identifier: MIT */
#include "prefetch/residency.h"

#include "base/cleanup.h"
#include "base/files/residency.h"
#include "prefetch/planned-file.h"

int residency_of_plan(const struct plan_view *plan, uint64_t *ret_bytes)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < plan->extent_count; i++) {
		const struct plan_extent *extent = &plan->extents[i];
		uint64_t file_size = 0, offset = 0, length, resident = 0;
		_cleanup_close_ int fd = planned_file_open(plan, LE32(extent->file), &file_size);
		int r;

		if (fd < 0)
			continue;
		length = planned_extent_range(plan, extent, file_size, &offset);
		r = residency_of_range(fd, offset, length, &resident);
		if (r < 0)
			return r;
		total += resident;
	}
	*ret_bytes = total;
	return 0;
}
