/* SPDX-License-Identifier: MIT */
/*
 * Traces what all processes touch, and changes nothing for them: the page cache and read-ahead stay as they are. For a machine that
 * boots.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"
#include "timeline/timeline.h"
#include "timeline/units.h"

#define MACHINE_SUBJECT                                                                                      \
	"/" /* the program of such a profile: that of no program (docs/decisions/snapshots.md) */

/* A machine is idle if fewer pages than this come into memory within so many seconds. We wait for that no longer than the last of these. */
#define MACHINE_IDLE_S      3.0
#define MACHINE_IDLE_PAGES  256
#define MACHINE_IDLE_MOST_S 30.0

struct machine_options {
	int tracefs; /* an open root of tracefs; borrowed */
	const char *
		instance; /* of ftrace; made here, and removed, also if somebody was killed who had made it */
	const char *except; /* threads with this name do not count (tracer_attach_everybody()) */
	int32_t ignored;    /* nor does what this process opens; 0: none */
	int stop;           /* a descriptor; ends the recording when it is readable; borrowed */
	int stop_idle; /* the same, but then it ends when little is read any more (MACHINE_IDLE_S); -1: none */
	int abandon;   /* the same, but then nothing is made of it; -1: none */
	double timeout;        /* seconds; ends it always */
	bool timeline;         /* also what all threads do, where the kernel tells */
	bool own;              /* what this process has mapped already counts: everybody waits for it, too */
	const char *command;   /* for people: profile.command */
	const char *milestone; /* for people: what it means that `stop` is readable */
	void (*begun)(void *context); /* called when everything is recorded from now on; or NULL */
	void (*over)(
		void *context); /* called when the recording is over, and no file has been read since; or NULL */
	void *context;
};

struct machine_result {
	/* The caller's to release. It names no file that others than root can change, and ends without landmarks. */
	struct profile profile;
	/*
	 * What the threads did; without threads if that was not asked for, or could not be had. Its program is the name of the
	 * machine. `began` is its begin, in nanoseconds, CLOCK_MONOTONIC.
	 */
	struct timeline timeline;
	uint64_t began;
	struct timeline_member
		*members; /* owned, and so are their units: which processes were in which of these */
	size_t n_members;
	double seconds;
};

void machine_result_release(struct machine_result *result);

/*
 * Returns 0 or negative errno: -ENOENT if the kernel lacks the events, -EOPNOTSUPP without fanotify, -ENODATA if nothing
 * was touched, -ECANCELED if it was abandoned.
 */
int machine_record(const struct machine_options *options, struct machine_result *ret);
