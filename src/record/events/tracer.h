/* SPDX-License-Identifier: MIT */
/* The kernel's part of a recording: an ftrace instance of our own, followed through libtracefs. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "record/events/trace.h"

struct tracer;

#define TRACER_DISKS "-disks" /* after the name of the instance: another one, for what the disks do */

enum tracer_source {
	TRACER_BEST,       /* faults and reads where the kernel reports them (6.12), else TRACER_PAGE_CACHE */
	TRACER_PAGE_CACHE, /* pages that enter the page cache: exact only from cold and without read-ahead */
};

struct tracer_options {
	enum tracer_source source;
	bool moments; /* also what the threads do, for a timeline: trace->moments */
	bool light; /* small buffers, which must be drained often; requests to disks are recorded only with moments */
};

/*
 * Makes an instance called `name` under the open root of tracefs, with its events chosen and nothing recorded yet,
 * and another for the requests to disks, where the kernel reports them.
 * -ENOSYS: this build has no libtracefs. -ENOENT: the kernel lacks the events. The caller removes both after
 * closing everything that uses it (record/restore does).
 */
int tracer_open(int tracefs, const char *name, const struct tracer_options *options, struct tracer **ret);

/* Whether tracer_open() fell back to pages that enter the page cache. */
bool tracer_has_only_added(const struct tracer *tracer);

/*
 * Returns a descriptor. A process writes to it to make itself known, and tracer_follow() reads the process's number.
 * The kernel's events number processes as in the first pid namespace, and nothing else gives us that number.
 */
int tracer_marker(struct tracer *tracer);

/*
 * Records, from now on, the process that wrote to the marker, and all that it forks. *ret_pid is its number. -ESRCH: no
 * process wrote.
 */
int tracer_follow(struct tracer *tracer, struct record_trace *trace, int32_t *ret_pid);

/*
 * Records, from now on, all threads of the process `top`, numbered as in the first pid namespace, those of everything below it, and all
 * that they fork; and the requests to disks, unless the tracer is light. Of what the kernel had gathered before, nothing counts. If
 * `top` is 0, it records every process of the machine, but not their system calls, which would cost all of them time. -ESRCH: the
 * process has ended.
 */
int tracer_attach(struct tracer *tracer, struct record_trace *trace, int32_t top);

/*
 * Records, from now on, the pages and programs of all processes, but for threads with this name (at most 15 characters, none of them
 * special), and for workers of io_uring, which cannot be told apart. Of what the kernel had gathered before, nothing counts. With
 * moments also what all threads do, but for their system calls, and which control groups processes are put into; these events have
 * buffers of their own, so that however many there are, none of a page is lost.
 */
int tracer_attach_everybody(struct tracer *tracer, const char *except);

/* Moves the events that the kernel has gathered into the trace. */
int tracer_drain(struct tracer *tracer, struct record_trace *trace);

/* Switches the events of the tree off and moves the rest into the trace. */
int tracer_stop(struct tracer *tracer, struct record_trace *trace);

/* Whether the requests to disks are recorded too (and of everybody what threads do), and the same for these. */
bool tracer_sees_disks(const struct tracer *tracer);
int tracer_stop_disks(struct tracer *tracer, struct record_trace *trace);
void tracer_free(struct tracer *tracer);

static inline void tracer_freep(struct tracer **tracer)
{
	tracer_free(*tracer);
}
