/* SPDX-License-Identifier: MIT */
/*
 * How long it takes to read what a plan names, in its order, by what its disk was measured to be.
 *
 * Reads that a disk serves at once share their latency. A disk with a head serves one after the other, each with its
 * way; those of a plan go in one direction.
 */
#include "plan/build/cost.h"
#include "plan/build/draft.h"

#define REQUEST_BYTES                                                                                        \
	(128u << 10) /* the kernel cuts what is asked for into pieces of its default of read_ahead_kb */

void draft_saving(struct plan_draft *draft)
{
	uint64_t waiting_us = 0, passing_us = 0, head = DRAFT_NOWHERE;

	if (!draft->disk || !draft->disk->measured)
		return;
	for (size_t i = 0; i < draft->n_extents; i++) {
		const struct draft_extent *extent = &draft->extents[i];
		const struct device *device = draft_file_device(draft, extent->file);
		const struct device_model model = plan_model_of(device);
		uint64_t bytes = draft_bytes(draft, extent->pages);
		uint64_t requests = bytes / REQUEST_BYTES + (bytes % REQUEST_BYTES != 0);

		waiting_us += requests * model.latency_us / model.depth;
		passing_us += bytes * 1000 / model.bytes_per_ms;
		if (extent->physical == DRAFT_NOWHERE)
			continue;
		if (head != DRAFT_NOWHERE)
			waiting_us += device_model_way_us(&model,
				extent->physical > head ? extent->physical - head : head - extent->physical,
				device->size);
		head = extent->physical + bytes;
	}
	/* Without a head, bytes of one read arrive while others are awaited. */
	draft->summary.planned_ms = (draft->device == DEVICE_ROTATIONAL       ? waiting_us + passing_us
						    : waiting_us > passing_us ? waiting_us
									      : passing_us) /
		1000;
}
