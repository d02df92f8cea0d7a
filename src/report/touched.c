/* SPDX-License-Identifier: MIT */
#include "report/touched.h"

uint64_t touched_part(uint64_t page, uint64_t pages, uint32_t page_size, uint64_t size)
{
	uint64_t offset = page * page_size, length = pages * page_size;

	return offset < size && length > size - offset ? size - offset : length;
}

struct touched_sizes touched_of(const struct profile_file *file, uint32_t runs, uint32_t page_size)
{
	struct touched_sizes touched = {0};

	for (size_t i = 0; file && i < file->n_ranges; i++) {
		const struct profile_range *range = &file->ranges[i];
		uint64_t bytes = touched_part(range->page, range->pages, page_size, file->size);

		touched.bytes += bytes;
		if (range->runs >= runs)
			touched.every_run += bytes;
		else if (range->runs == 1)
			touched.one_run += bytes;
	}
	return touched;
}

uint64_t touched_bytes(const struct profile *profile)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < profile->n_files; i++)
		bytes += touched_of(&profile->files[i], profile->runs, profile->page_size).bytes;
	return bytes;
}
