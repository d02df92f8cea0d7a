/* SPDX-License-Identifier: MIT */
/*
 * The threads of a start that wait at this moment, and what each waits for. The kernel's events say that a thread waits, and in
 * which system call, but not for whom; while it waits, /proc does. Waits that have lasted for some time are looked at, each
 * once.
 */
#pragma once

#include "record/events/trace.h"
#include "timeline/build.h"

struct sleeper;

struct sleepers {
	uint32_t *by_tid;      /* owned; index + 1; 0: not of the start */
	struct sleeper *items; /* owned */
	size_t n, capacity;
	size_t pids_seen, moments_seen;  /* of the trace */
	struct timeline_remark *remarks; /* owned, and so are their texts; ascending by time */
	size_t n_remarks, remarks_capacity;
};

/* Takes what is new in the trace, and names the waits that have lasted long enough. Returns 0 or -ENOMEM. */
int sleepers_look(struct sleepers *sleepers, const struct record_trace *trace);
void sleepers_release(struct sleepers *sleepers);
