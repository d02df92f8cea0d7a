/* SPDX-License-Identifier: MIT */
/* Finds the end of each read, and for each wait the read that ended it. Internal to src/timeline. */
#pragma once

#include "timeline/build.h"

struct disk_request; /* a request, and whether it was far from the one before it */

struct requests {
	struct disk_request *items; /* owned; ascending by disk, then by end */
	size_t n;
};

/* Sorts events->requests. Returns 0 or -ENOMEM. */
int requests_index(const struct timeline_events *events, struct requests *ret);
void requests_release(struct requests *requests);

/* Whether the disk has served any request: a device-mapper device, for one, passes on what it is asked. */
bool requests_has_disk(const struct requests *requests, uint32_t disk);

/* The end of what was asked for at this time and place; UINT64_MAX if it was not seen. */
uint64_t requests_end(
	const struct requests *requests, uint32_t disk, uint64_t time, uint64_t offset, bool *ret_seeks);

/*
 * Sets `read`, and `file` where it is not known, of each span that waits for a read, and `ahead` of the reads that
 * nobody waited for. pages[i] is what span i waited for; UINT32_MAX if that is not known. `any_own`: any read of the thread's own that
 * ends with a wait may explain it, whatever it is for. Returns 0 or -ENOMEM.
 */
int reads_match_waits(struct timeline *timeline, const uint32_t *pages, bool any_own);
