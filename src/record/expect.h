/* SPDX-License-Identifier: MIT */
/* What prefetching would make of a traced start. */
#pragma once

#include "device/device.h"
#include "record/disks/requests.h"
#include "timeline/timeline.h"

struct expect_knowledge {
	/* Gives a device what was measured of it before, if it was. */
	void (*measured)(struct device *device);
	/* The model, completed by what disks of its class have. */
	struct device_model (*complete)(const struct device *device);
};

/*
 * What all reads of the start from disks would take in one batch, in nanoseconds. Each disk is fitted from the requests that
 * it served meanwhile; one that had too few of them counts as what it was measured to be before. Returns 0 if a disk is
 * not known in either way, or if the start also waited for what comes from no disk (network, FUSE).
 */
uint64_t expect_batch(const struct timeline *timeline, const struct record_disks *disks,
	const struct expect_knowledge *knowledge);

/* The same of the reads of one disk, of which everything is known. Returns -ENOMEM, or 0 with *ret_us. */
int expect_disk(const struct timeline *timeline, uint32_t disk, uint64_t disk_size,
	const struct device_model *model, uint64_t *ret_us);
