/* SPDX-License-Identifier: MIT */
/* What a recording has gathered, as timeline_build() takes it: names of files, numbers of disks, requests, programs. */
#pragma once

#include "base/inode-map.h"
#include "device/device.h"
#include "record/disks/requests.h"
#include "timeline/build.h"

struct timeline_source {
	const struct record_files *files; /* borrowed */
	struct inode_map map;             /* owned, and so are the lists */
	struct timeline_request *requests;
	struct timeline_remark *execs;
	char path[16 + DEVICE_NAME_MAX]; /* of the last block device that was named */
};

/* Whether it is a 32-bit program. Of a script this says nothing: its interpreter is hardly ever one. */
bool timeline_source_is_narrow(const char *path);

/*
 * Fills in *events but for its times, its first thread and the size of pages; the trace, the files and *ret have to stay
 * until the timeline is built. *ret is zeroed before, and the caller's to release in any case. Returns 0 or -ENOMEM.
 */
int timeline_source_make(struct record_trace *trace, const struct record_files *files,
	const struct record_disks *disks, struct timeline_source *ret, struct timeline_events *events);

/*
 * Adds moments to those of a trace. Without events of system calls (`no_calls`) it is not known what a sleeping thread waits
 * for: then each sleep that a signal can end is in a call of its own, so it is no wait for a page that the thread has touched before.
 * Returns 0 or -ENOMEM.
 */
int timeline_source_append(
	struct record_trace *to, const struct timeline_moment *moments, size_t n, bool no_calls);
void timeline_source_release(struct timeline_source *source);
