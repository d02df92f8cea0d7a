/* SPDX-License-Identifier: MIT */
/* The recorded command: a child that waits at a gate until everything is ready, and then becomes the command. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sock_fprog;

struct command {
	pid_t pid;
	int gate;    /* owned; closing it without a byte makes the child give up */
	bool bereft; /* of the right to gain rights by executing a set-user-ID program, as a filter demands */
	int failed;  /* owned; the child writes its errno here if it cannot become the command */
	int signals; /* of the options, as the next one */
	unsigned patience_ms;
};

#define COMMAND_INIT                                                                                         \
	{                                                                                                    \
		.pid = -1, .gate = -1, .failed = -1, .signals = -1                                           \
	}

struct command_options {
	const char *path; /* as the shell would pass it to execve: links not resolved */
	char *const *argv;
	const char *user;                /* NULL: ours; else the command gets nothing of ours (user.h) */
	const struct terminal *terminal; /* replaces our terminals; NULL: not needed */
	const char *recording; /* HEADSTART_RECORDING in its environment; NULL: it may be read ahead for */
	bool traced;           /* and HEADSTART_TRACED: `headstart run` reads ahead all the same */
	bool needs_x11;        /* its windows have to be seen: in a Wayland session it shall use Xwayland */
	sigset_t mask;         /* signal mask of the command */
	const struct sock_fprog *filter; /* a seccomp filter (seccomp(2)) for the command; NULL: none */
	int signals; /* a signalfd with SIGCHLD and the signals that interrupt; -1: none interrupts */
	unsigned
		patience_ms; /* how long the child may take to get to the gate, and from there to the command */
};

/*
 * The user whose command it is may stop the child, and a file system may never answer: then it is killed, with -ETIME when the
 * patience is over, or with -EINTR when a signal comes.
 *
 * Forks the child, which writes to `marker` unless that is -1, and waits until it is at the gate. Returns 0 or negative errno.
 */
int command_start(const struct command_options *options, int marker, struct command *ret);

/* Opens the gate. Returns 0 once the child has become the command, or negative errno if it could not: -EINTR if a signal has ended it. */
int command_go(struct command *command);

/* Its two steps, for a caller that has something to do in between. */
int command_open_gate(struct command *command);
int command_outcome(struct command *command);

/* Returns 0, or kills the child as above if the deadline is over, in milliseconds of CLOCK_MONOTONIC, or a signal has come. */
int command_check(const struct command *command, uint64_t deadline_ms);
void command_release(struct command *command);
