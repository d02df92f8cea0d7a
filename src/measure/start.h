/* SPDX-License-Identifier: MIT */
/* One start of the command: from its execution to its milestone, and then to the end of all that it started. */
#pragma once

#include <signal.h>
#include <stdbool.h>

#include "base/texts/milestone.h"

/* A variable of the command's environment; without a value it is removed. */
struct start_variable {
	const char *name, *value;
};

struct start_options {
	const char *path; /* what is executed */
	char *const *argv;
	const struct start_variable *variables; /* the last one has no name */
	struct milestone until;                 /* exit, window or idle */
	double timeout;                         /* seconds */
	int signals;                            /* a signalfd with SIGCHLD and the signals that interrupt */
	sigset_t mask;                          /* of the command */
};

struct start_result {
	double seconds; /* to the milestone */
	int status;     /* of the command, as waitpid(2) has it; 0 if we have ended it */
};

/*
 * The command has a session of its own; its input is empty and its output is discarded. The calling process has called
 * process_tree_begin(). Processes of headstart's own that the command leaves behind (a prefetcher) do not
 * count as the command's, but are awaited. Whatever happens, no process is left,
 * but what this user may not end.
 *
 * Returns 0; -EPERM if there was such a process; -ETIME if the milestone was not reached in time; -ECHILD if everything ended before it; -EINTR if a signal
 * came; as window_watch_new(); -ENOEXEC, with the reason in *ret_exec_error (an errno), if the command cannot be executed; or negative errno.
 */
int start_run(const struct start_options *options, struct start_result *ret, int *ret_exec_error);
