/* SPDX-License-Identifier: MIT */
/* The buffers of an instance of ftrace, of which the kernel has one for each CPU. */
#pragma once

struct tracefs_instance;

struct buffers {
	int *cpus; /* owned: trace_pipe_raw of each, which does not block; -1 if a CPU has no buffer */
	int n;
};

/*
 * Opens them. Returns 0; -EIO if there is none; or negative errno, such as -EMFILE: without the events of some CPUs a trace looks
 * complete and is not. *ret is to be released in any case.
 */
int buffers_open(struct tracefs_instance *instance, struct buffers *ret);

void buffers_release(struct buffers *buffers);
