/* SPDX-License-Identifier: MIT */
/*
 * Whether the processes below this one have something to do, from /proc: they read from a disk, fault, use a processor,
 * start or end. A tree that is quiet counts as idle. It needs no rights but to look at one's own processes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What one process had done when we last looked. */
struct activity_process {
	pid_t pid;
	uint64_t ticks;  /* of processor time */
	uint64_t faults; /* that waited for a disk */
	uint64_t bytes;  /* read from disks */
};

struct activity {
	struct activity_process *processes; /* owned; of our tree, by pid */
	size_t n;
	pid_t *strangers; /* owned; processes that are not of our tree, by pid */
	size_t n_strangers;
	double strangers_since; /* when we last forgot them: pids come round */
	double quiet_since;     /* seconds, CLOCK_MONOTONIC: nothing was done since then */
	uint64_t ticks;         /* of the whole tree since then */
};

#define ACTIVITY_LOOK_MS 20 /* how often to look */

/* Begins: everything before `now` (seconds, CLOCK_MONOTONIC) counts as work. */
void activity_init(struct activity *activity, double now);

/* Looks at the tree. Returns 0 or negative errno. */
int activity_look(struct activity *activity, double now);
void activity_release(struct activity *activity);

/*
 * For tests: takes the numbers out of the text of /proc/PID/stat, whose second field is a name that may have blanks and
 * brackets. Returns whether they are there.
 */
bool activity_parse_stat(const char *text, pid_t *ret_parent, struct activity_process *ret);
