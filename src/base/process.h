/* SPDX-License-Identifier: MIT */
/* Runs a program, without a shell, to see what it says and how it ends. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process_options {
	const char *const *argv; /* argv[0] is a path */
	const char *const *envp; /* NULL: this process's environment, but in the C locale, for messages that
				    are parsed */
	unsigned timeout_ms;     /* then it is killed, and what it has started with it; 0: never */
	size_t output_max;       /* bytes of each output that are kept; 0: all */
	bool stay;               /* in the working folder; else it runs in "/" */
	bool as_nobody;          /* as user and group 65534, so that setuid programs gain something */
};

struct process_result {
	int status; /* of waitpid(2); for a program that cannot be started, exit status 127 */
	char *out;  /* owned, NUL-terminated */
	size_t out_size;
	char *err; /* owned, NUL-terminated */
	size_t err_size;
};

/*
 * Runs it with its standard input empty and in a session of its own, and waits for it. It dies with this
 * process. What it leaves running is not waited for. Returns 0, -ETIME, or negative errno; *ret is the
 * caller's to release.
 */
int process_run(const struct process_options *options, struct process_result *ret);

/*
 * Waits for a child of this process to end, and reaps it. After `timeout_ms` (0: never) it is killed, and with it its process
 * group if it leads one. Returns 0, -ETIME if it was killed, or negative errno.
 */
int process_await(pid_t child, unsigned timeout_ms, int *ret_status);

void process_result_release(struct process_result *result);

static inline void process_result_releasep(struct process_result *result)
{
	process_result_release(result);
}
