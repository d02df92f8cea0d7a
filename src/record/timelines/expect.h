/* SPDX-License-Identifier: MIT */
/* What prefetching would make of a traced start. */
#pragma once

#include "device/device.h"
#include "record/disks/requests.h"
#include "timeline/timeline.h"

struct expect_knowledge {
	/* The disk of this number (major << 20 | minor), with what was measured of it before. Returns 0 or negative errno. */
	int (*find)(uint32_t disk, struct device *ret);
	/* The model, completed by what disks of its class have. */
	struct device_model (*complete)(const struct device *device);
};

/*
 * How long the start would wait for its reads if they were made in one batch, in nanoseconds. Each disk is fitted from the
 * requests that it served meanwhile; one that had too few of them counts as what it was measured to be before. What the start
 * waited for disks that are not known in either way, and for what comes from no disk (network, FUSE), stays. Returns 0 if no disk
 * that it read is known.
 */
uint64_t expect_batch(const struct timeline *timeline, const struct record_disks *disks,
	const struct expect_knowledge *knowledge);

/* The same of the reads of one disk, of which everything is known. Returns -ENOMEM, or 0 with *ret_us. */
int expect_disk(const struct timeline *timeline, uint32_t disk, uint64_t disk_size,
	const struct device_model *model, uint64_t *ret_us);
