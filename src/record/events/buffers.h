/* SPDX-License-Identifier: MIT */
/* The buffers of an instance of ftrace, of which the kernel has one for each CPU. */
#pragma once

#include <stdbool.h>

struct tracefs_instance;

struct buffers {
	int *cpus;     /* owned: trace_pipe_raw of each, which does not block; -1 if a CPU has no buffer */
	bool *watched; /* owned: of each, whether buffers_watch() has added it */
	int n;
};

/*
 * Opens them. Returns 0; -EIO if there is none; or negative errno, such as -EMFILE: without the events of some CPUs a trace looks
 * complete and is not. *ret is to be released in any case.
 */
int buffers_open(struct tracefs_instance *instance, struct buffers *ret);

/*
 * Adds to the epoll descriptor those that are not added yet. Left out are those of CPUs that have not been online since the instance was
 * made: the kernel reports an error of them at any time, which would wake the caller without end. Such a CPU has a buffer to read when it
 * comes online; call this again then. Returns 0 or negative errno.
 */
int buffers_watch(struct buffers *buffers, int epoll);
void buffers_release(struct buffers *buffers);
