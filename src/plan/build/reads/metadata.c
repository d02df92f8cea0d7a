/* SPDX-License-Identifier: MIT */
/*
 * Which blocks of metadata are read before anything is opened (docs/decisions/metadata-sweep.md).
 *
 * Ranges stay in the order of the disk, and a gap is read where that takes no longer than a way of the head or a request.
 * Unlike gaps of data (time/cost.c) these are few, so an average way counts, not the shortest. Beyond 128 KiB, the 32 blocks of
 * inode tables that ext4 reads at once, what they bring was not tried.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "device/file-system.h"
#include "plan/build/draft.h"
#include "plan/build/time/cost.h"

#define GAP_MAX (128u << 10) /* bytes */

static uint32_t gap_pages(const struct device *device, uint32_t page_size)
{
	const struct device_model model = plan_model_of(device);
	uint64_t us = (uint64_t)model.seek_us + model.latency_us / model.depth;
	uint64_t bytes = us * model.bytes_per_ms / 1000;

	return (uint32_t)((bytes < GAP_MAX ? bytes : GAP_MAX) / page_size);
}

int draft_add_metadata(struct plan_draft *draft, const struct profile_file_system *source,
	const struct device *device, const char *point)
{
	uint32_t gap_max = gap_pages(device, draft->profile->page_size);
	struct draft_file_system system = {.id = source->id};
	int r = ARRAY_RESERVE(
		draft->metadata, draft->metadata_capacity, draft->n_metadata + source->n_ranges);

	if (r == 0)
		r = ARRAY_RESERVE(
			draft->file_systems, draft->file_systems_capacity, draft->n_file_systems + 1);
	if (r < 0)
		return r;
	system.point = strdup(point);
	if (!system.point)
		return -ENOMEM;
	for (size_t i = 0; i < source->n_ranges; i++) {
		const struct profile_block_range *range = &source->ranges[i];
		struct draft_metadata *last = system.ranges ? &draft->metadata[draft->n_metadata - 1] : NULL;
		uint32_t gap = last ? range->page - (last->page + last->pages) : 0;

		if (last && gap <= gap_max) {
			last->pages += gap + range->pages;
			last->gap += gap;
			continue;
		}
		draft->metadata[draft->n_metadata++] =
			(struct draft_metadata){.page = range->page, .pages = range->pages};
		system.ranges++;
	}
	draft->file_systems[draft->n_file_systems++] = system;
	return 0;
}

/* The device under the planned files of this file system; NULL if there are none. */
static const struct device *device_of_number_in(const struct plan_draft *draft, dev_t number)
{
	for (size_t i = 0; i < draft->n_devices; i++)
		if (draft->devices[i].number == number)
			return &draft->devices[i].device;
	return NULL;
}

/* A file system that is not mounted here, or of which no file is planned, is left out. */
static int add_file_system(struct plan_draft *draft, const struct profile_file_system *source)
{
	_cleanup_free_ char *point = NULL;
	const struct device *device;
	dev_t number;
	int r = device_find_mount(
		"/proc/self/mountinfo", draft->root ? draft->root : "", source->id, &point, &number);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	device = device_of_number_in(draft, number);
	return device ? draft_add_metadata(draft, source, device, point) : 0;
}

int draft_metadata(struct plan_draft *draft)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < draft->profile->n_file_systems; i++)
		r = add_file_system(draft, &draft->profile->file_systems[i]);
	return r;
}
