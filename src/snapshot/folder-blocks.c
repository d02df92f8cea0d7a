/* SPDX-License-Identifier: MIT */
/*
 * Where the entries of folders lie on the disk. Root's prefetcher reads these blocks in one sweep before it looks anything
 * up (docs/decisions/metadata-sweep.md); otherwise each is a read of its own. Which blocks have the inodes is not told.
 */
#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "device/device.h"
#include "profile/metadata.h"
#include "snapshot/collect.h"

static int add_extent(struct snapshot *snapshot, uint64_t file_system, const struct device_extent *extent)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE), first = extent->physical / page_size, end;

	if (extent->length == 0 || __builtin_add_overflow(extent->physical, extent->length - 1, &end) ||
		end / page_size >= UINT32_MAX)
		return 0; /* beyond what a profile can name */
	return profile_add_metadata(&snapshot->profile, file_system,
		(struct profile_block_range){
			.page = (uint32_t)first, .pages = (uint32_t)(end / page_size - first + 1)});
}

int folder_blocks_add(struct snapshot *snapshot, uint64_t file_system, int folder)
{
	_cleanup_free_ struct device_extent *extents = NULL;
	size_t n = 0;
	int r = device_extents(folder, &extents, &n);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_extent(snapshot, file_system, &extents[i]);
	return r;
}
