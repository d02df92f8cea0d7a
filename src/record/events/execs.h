/* SPDX-License-Identifier: MIT */
/*
 * Sees every program that is executed on the machine, in whichever container, by the tracepoint sched_process_exec in an
 * ftrace instance of our own. Readers wake up at every event, so it is seen within a fraction of a millisecond.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct execs;

struct exec_seen {
	uint64_t time;    /* nanoseconds, CLOCK_MONOTONIC */
	int32_t pid;      /* in the kernel's own numbering, which is that of the first pid namespace */
	const char *path; /* as passed to execve(2), perhaps cut; borrowed */
};

typedef void exec_seen_fn(void *context, const struct exec_seen *seen);

/*
 * Makes the instance `name` under the open root of tracefs. -ENOENT: the kernel lacks the event. Whoever dies without
 * execs_free() leaves the instance behind, until the next execs_sweep().
 */
int execs_open(int tracefs, const char *name, struct execs **ret);
void execs_free(struct execs *execs);

/* A descriptor that polls as readable when there is something to read. */
int execs_fd(const struct execs *execs);

/*
 * Calls seen() for each program executed since the last call, in the order in which they were executed, on whichever processor; but not for
 * all of them if there are many: then the descriptor stays readable. Returns 0, or negative errno if a buffer cannot be read.
 */
int execs_read(struct execs *execs, exec_seen_fn *seen, void *context);

/* How often the kernel has dropped events, because they were not read soon enough. */
uint64_t execs_lost(const struct execs *execs);

/*
 * Returns a descriptor; while it is open, nobody else removes an instance, which may just be being made. Negative errno if
 * there is no lock.
 */
int execs_lock(int tracefs);

/*
 * Removes the instances whose names begin so and that no process has open: dead daemons have left them. The kernel
 * refuses to remove one that is in use.
 */
void execs_sweep(int tracefs, const char *prefix);

/* Whether a recording (restore.h) runs on the machine now. Removes what killed ones have left: it would look like one for ever. */
bool execs_recorder_runs(int tracefs);
