/* SPDX-License-Identifier: MIT */
/* Runs a process that is not our child and holds nothing of ours. */
#pragma once

#include <stdbool.h>

/* The number of a detached process's end of the pipe. All other descriptors are closed but 0–2 (/dev/null). */
#define DETACHED_PIPE 3

/*
 * Whether an orphan of ours would become the child of somebody who has not started it: we are pid 1 or a child
 * subreaper, or format/surroundings.h says so. Then we cannot detach anything.
 */
bool detach_stays(void);

/* Whether our children are in the machine's own pid namespace, and so in no container. */
bool detach_in_first_namespace(void);

/* Whether we are in a container whose init should meet no orphan of ours, wherever in it we are. */
bool detach_in_container(void);

/* Gives up real-time scheduling, which a program has for its own work, not for our reads. */
void detach_from_real_time(void);

/*
 * Runs body(context) in a detached process: own session, no real-time scheduling, default signals, folder "/", descriptors 0–2 on /dev/null.
 * *ret_pipe is the reading end of a pipe whose writing end is the process's DETACHED_PIPE; the caller closes it.
 * *ret_child is -1, or, if detach_stays(), the process itself: a child that the caller reaps with waitpid(__WALL)
 * before it execs, unless it hangs. With `errors` its descriptor 2 stays ours. Raises no SIGCHLD. Returns 0 or negative errno.
 */
int detach(
	void (*body)(const void *context), const void *context, bool errors, int *ret_pipe, int *ret_child);
