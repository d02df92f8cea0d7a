/* SPDX-License-Identifier: MIT */
/* A process that is nobody's child and holds nothing of ours. */
#pragma once

#include <stdbool.h>

/* The descriptor at which a detached process finds its end of the pipe; everything else but 0–2 (null) is closed. */
#define DETACHED_PIPE 3

/* Whether somebody would meet an orphan of ours that he has not started (we are pid 1 or a child subreaper, or
 * format/surroundings.h says so): then nothing of ours can be detached. */
bool detach_stays(void);

/*
 * Runs body(context) in a detached process: own session, default signals, folder "/", descriptors 0–2 on
 * /dev/null. *ret_pipe is the reading end of a pipe whose writing end is the process's DETACHED_PIPE; the
 * caller closes it. *ret_child is -1, or, where detach_stays(), the process itself: a child that the caller
 * must reap with waitpid(__WALL) before it execs. No SIGCHLD is raised. Returns 0 or negative errno.
 */
int detach(void (*body)(const void *context), const void *context, int *ret_pipe, int *ret_child);
