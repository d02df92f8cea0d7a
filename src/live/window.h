/* SPDX-License-Identifier: MIT */
/*
 * Fills the model from the kernel's events: of each window of time between two turns a timeline is made, as of a whole
 * start, and added up.
 */
#pragma once

#include "live/live.h"
#include "record/events/trace.h"
#include "record/timelines/carry.h"

struct window {
	struct record_trace trace; /* owned; what has not been used yet */
	struct carry carry;        /* owned */
	uint64_t began;            /* nanoseconds, CLOCK_MONOTONIC */
	uint64_t looked;           /* the same: the carry has all threads that had been made until then */
	bool attached;             /* the numbers of threads are those of /proc here */
	int32_t top; /* if so, the process that is watched with everything below it; 0: the machine */
	bool no_calls; /* the events have no system calls, so it is not known what a sleeping thread waits for */
};

/* Takes moments and requests out of the trace, and drops its events. Returns 0 or -ENOMEM. */
int window_take(struct window *window, struct record_trace *trace);

/*
 * Adds everything up to `complete`, CLOCK_MONOTONIC, to the model: all events until then have been taken. The files are
 * those of the recording. Returns 0 or -ENOMEM.
 */
int window_turn(
	struct window *window, const struct record_files *files, uint64_t complete, struct live *live);
void window_release(struct window *window);
