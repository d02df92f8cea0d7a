/* SPDX-License-Identifier: MIT */
/* The kernel's side of a recording: an ftrace instance of our own, followed through libtracefs. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "record/trace.h"

struct tracer;

enum tracer_source {
	TRACER_BEST,       /* faults and reads where the kernel reports them (6.12), else what follows */
	TRACER_PAGE_CACHE, /* what enters the page cache: exact only from cold and without read-ahead */
};

/*
 * Makes an instance called `name` under the open root of tracefs, with its events chosen and nothing recorded yet.
 * -ENOSYS: this build has no libtracefs. -ENOENT: the kernel lacks the events. The caller removes the instance when
 * everything that uses it is closed (restore.h does).
 */
int tracer_open(int tracefs, const char *name, enum tracer_source source, struct tracer **ret);

/* Whether tracer_open() had to do with what enters the page cache. */
bool tracer_has_only_added(const struct tracer *tracer);

/*
 * A descriptor that a process writes to make itself known; tracer_follow() reads who did. The kernel counts processes
 * in the first pid namespace, and only its own events tell us that number.
 */
int tracer_marker(struct tracer *tracer);

/*
 * Records, from now on, the process that wrote to the marker, and all it forks. *ret_pid is its number. -ESRCH: nobody
 * wrote.
 */
int tracer_follow(struct tracer *tracer, struct record_trace *trace, int32_t *ret_pid);

/* Moves what the kernel has gathered into the trace. */
int tracer_drain(struct tracer *tracer, struct record_trace *trace);

/* Switches the events off and moves the rest into the trace. */
int tracer_stop(struct tracer *tracer, struct record_trace *trace);
void tracer_free(struct tracer *tracer);

static inline void tracer_freep(struct tracer **tracer)
{
	tracer_free(*tracer);
}
