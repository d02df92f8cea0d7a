/* SPDX-License-Identifier: MIT */
/* A process that is nobody's child and holds nothing of ours. */
#pragma once

/* The descriptor at which a detached process finds its end of the pipe; everything else but 0–2 (null) is closed. */
#define DETACHED_PIPE 3

/*
 * Runs body(context) in a detached process: own session, default signals, folder "/", descriptors 0–2 on /dev/null.
 * *ret_pipe is the reading end of a pipe whose writing end is the process's DETACHED_PIPE; the caller closes it.
 * *ret_child is -1, or a child the caller must reap with waitpid(__WALL) before it execs: where orphans would come back
 * to us (pid 1, a child subreaper), the process stays our child. No SIGCHLD is raised. Returns 0 or negative errno.
 */
int detach(void (*body)(const void *context), const void *context, int *ret_pipe, int *ret_child);
