/* SPDX-License-Identifier: MIT */
#include "profile/compare/share.h"

struct profile_share profile_share_of(const struct profile_file *file, uint32_t runs)
{
	struct profile_share share = {0};

	for (size_t i = 0; file && i < file->n_ranges; i++) {
		const struct profile_range *range = &file->ranges[i];

		share.pages += range->pages;
		if (range->runs >= runs)
			share.every_run += range->pages;
		else if (range->runs == 1)
			share.one_run += range->pages;
	}
	return share;
}
