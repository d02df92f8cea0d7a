/* SPDX-License-Identifier: MIT */
/* The requests of a recording, disk by disk, as reads of which place and times are known (device/model.h). */
#pragma once

#include "device/model.h"
#include "record/events/trace.h"

/* What one disk was asked for. */
struct record_disk {
	uint32_t device;           /* major << 20 | minor */
	struct device_read *reads; /* owned; writes and the like too, as `other` */
	size_t n, capacity;
};

struct record_disks {
	struct record_disk *items; /* owned */
	size_t n, capacity;
};

/*
 * Sorts trace->requests by time, and joins each request that was issued with its end. Requests without the one or the
 * other are left out. The caller releases *ret. Returns 0 or -ENOMEM.
 */
int requests_join(struct record_trace *trace, struct record_disks *ret);

void record_disks_release(struct record_disks *disks);

static inline void record_disks_releasep(struct record_disks *disks)
{
	record_disks_release(disks);
}
