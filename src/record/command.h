/* SPDX-License-Identifier: MIT */
/* The command that is recorded: a child that waits at a gate until everything is ready, and then becomes it. */
#pragma once

#include <signal.h>
#include <sys/types.h>

struct command {
	pid_t pid;
	int gate;   /* owned; closing it without a byte makes the child give up */
	int failed; /* owned; the child writes its errno here if it cannot become the command */
};

#define COMMAND_INIT                                                                                         \
	{                                                                                                    \
		.pid = -1, .gate = -1, .failed = -1                                                          \
	}

struct command_options {
	const char *path; /* as the shell would pass it to execve: links not resolved */
	char *const *argv;
	const char *user;                /* NULL: ours; of another nothing of ours goes along (user.h) */
	const struct terminal *terminal; /* in the place of ours; NULL: none is needed */
	const char *recording;           /* HEADSTART_RECORDING of its environment */
	sigset_t mask;                   /* signal mask of the command */
};

/* Forks the child and waits until it stands at the gate, having written to `marker`. Returns 0 or negative errno. */
int command_start(const struct command_options *options, int marker, struct command *ret);

/* Opens the gate. Returns 0 when the child has become the command, or why it could not, as negative errno. */
int command_go(struct command *command);
void command_release(struct command *command);
