/* SPDX-License-Identifier: MIT */
/*
 * What all threads of the machine do while it is recorded, and which units of systemd their processes are in. Internal to
 * src/record/running.
 */
#pragma once

#include <stdbool.h>

#include "record/events/trace.h"
#include "record/running/machine.h"
#include "record/timelines/carry.h"

#define UNIT_NAME_MAX 256 /* bytes, the NUL included */

struct everybody {
	struct record_trace gathered; /* owned; moments and requests */
	struct carry carry;           /* owned; the threads that were there before us */
	struct record_trace groups;   /* owned; the control groups in which processes were found (groups) */
	size_t looked_at;             /* execs of the trace whose processes were looked at */
	uint64_t began, looked;       /* nanoseconds, CLOCK_MONOTONIC; looked: the carry is complete */
	bool on;
};

/* Call it when the events are recorded already. Does nothing outside the first pid namespace: events have its numbers. */
int everybody_begin(struct everybody *everybody);

/* Takes moments and requests out of the trace. Both return 0 or -ENOMEM. */
int everybody_take(struct everybody *everybody, struct record_trace *trace);

/*
 * Fills in timeline, began and members, if it was begun; the files are those of the recording. If there was more than there is room
 * for, the timeline ends before `ended`, and says that something was lost. Returns 0 or -ENOMEM.
 */
int everybody_make(struct everybody *everybody, const struct record_files *files, uint64_t ended,
	struct machine_result *ret);
void everybody_release(struct everybody *everybody);

/*
 * The unit of a control group's path: its first component that is named as a unit is, and is no slice. Anybody with a part of the
 * tree of their own may have made it, so the name may contain anything but '/'. Returns whether there is one.
 */
bool everybody_unit_of(const char *path, char ret[UNIT_NAME_MAX]);
