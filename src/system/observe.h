/* SPDX-License-Identifier: MIT */
/* Running a program to see what it says and how it ends. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct observe_options {
	const char *const *argv; /* argv[0] is a path */
	const char *const *envp;
	unsigned timeout_ms; /* then it is killed, and what it has started with it */
	bool as_nobody;      /* as user and group 65534, so that setuid programs gain something */
};

struct observed {
	int status; /* of waitpid(2); for a program that cannot be started, exit status 127 */
	char *out;  /* owned, NUL-terminated: at most OBSERVE_MAX bytes of each */
	size_t out_size;
	char *err; /* owned */
	size_t err_size;
};

#define OBSERVE_MAX (1u << 20)

/*
 * Runs it in "/" with its standard input empty and in a session of its own, and waits for it. What it leaves
 * running is not waited for. Returns 0, -ETIME, or negative errno; *ret is the caller's to release.
 */
int observe(const struct observe_options *options, struct observed *ret);
void observed_release(struct observed *observed);

static inline void observed_releasep(struct observed *observed)
{
	observed_release(observed);
}
