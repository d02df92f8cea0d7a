/* SPDX-License-Identifier: MIT */
/* Runs a program without a shell, and returns what it writes and how it ends. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process_options {
	const char *const *argv; /* argv[0] is a path */
	const char *const *envp; /* NULL: this process's environment, but in the C locale, so that messages
				    can be parsed */
	unsigned timeout_ms;     /* then it is killed with everything it has started; 0: never */
	size_t output_max;       /* bytes kept of each output; 0: all */
	bool stay;               /* in the working folder; else it runs in "/" */
	bool as_nobody;          /* as user and group 65534, so that setuid programs gain rights */
};

struct process_result {
	int status; /* of waitpid(2); for a program that cannot be started, exit status 127 */
	char *out;  /* owned, NUL-terminated */
	size_t out_size;
	char *err; /* owned, NUL-terminated */
	size_t err_size;
};

/*
 * Runs it in a session of its own with an empty standard input, and waits for it, but not for what it leaves running.
 * It dies with this process. Returns 0, -ETIME, or negative errno; *ret is the caller's to release.
 */
int process_run(const struct process_options *options, struct process_result *ret);

/*
 * Waits for a child of this process to end, and reaps it. After `timeout_ms` (0: never) kills it, and its process group
 * if it leads one. Returns 0, -ETIME if it was killed, or negative errno.
 */
int process_await(pid_t child, unsigned timeout_ms, int *ret_status);

/*
 * Waits no longer than that for a child of this process, with an exit signal or without, to end, and reaps it: it may hang in the kernel. Returns
 * whether it has ended.
 */
bool process_wait(pid_t child, unsigned timeout_ms);

void process_result_release(struct process_result *result);

static inline void process_result_releasep(struct process_result *result)
{
	process_result_release(result);
}
