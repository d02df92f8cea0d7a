/* SPDX-License-Identifier: MIT */
/*
 * The boot of a machine: what each unit of systemd did, made of what all threads did. A unit is a thread of the new timeline, with
 * one thing that it does at each moment, as timeline/causes.h finds it.
 */
#pragma once

#include "timeline/timeline.h"

#define TIMELINE_UNITS_MAX 4096u /* what more units do is that of one, "(other units)" */

/* A process was seen in a unit, or was put into it. */
struct timeline_member {
	uint64_t time; /* nanoseconds, CLOCK_MONOTONIC */
	int32_t pid;
	const char *unit; /* borrowed */
};

/* What systemd says of a unit. Times are nanoseconds, CLOCK_MONOTONIC; TIMELINE_NEVER: not in this boot. */
struct timeline_said {
	const char *unit; /* borrowed */
	uint64_t started, active;
};

struct timeline_boot {
	uint64_t began; /* nanoseconds, CLOCK_MONOTONIC: when the timeline of the threads did */
	struct timeline_member *members; /* borrowed, and sorted here */
	size_t n_members;
	const struct timeline_said *said; /* borrowed, in any order */
	size_t n_said;
};

/*
 * A process is in the unit that it was put into last. One that was never put anywhere is where its parent was; only what process
 * 1 starts is in its first unit from the beginning. Targets become milestones. Of files, those are kept that were read. What
 * takes less than 0.1 ms, and is no wait for a read, counts as what the unit did before.
 *
 * The timeline of the threads is good. The caller releases *ret. Returns 0 or -ENOMEM.
 */
int timeline_of_units(const struct timeline *threads, struct timeline_boot *boot, struct timeline *ret);
