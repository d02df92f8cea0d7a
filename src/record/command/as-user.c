/* SPDX-License-Identifier: MIT */
/* Forks a child, which becomes the user and does the work, and waits for it. */
#include "record/command/as-user.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/run/process.h"
#include "record/command/user.h"

#define TIME_MAX_MS 60000
#define LOST        125 /* exit status of a child that could not become the user */

int as_user(const char *name, int (*work)(void *context), void *context)
{
	int status, r;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child < 0)
		return -errno;
	if (child == 0) {
		umask(077);
		_exit(user_become(name) < 0 || chdir("/") < 0 ? LOST : work(context));
	}
	/* The child has the user's ids, so the user can stop it, and a stopped process does not react to an alarm. */
	r = process_await(child, TIME_MAX_MS, &status);
	if (r < 0 || !WIFEXITED(status))
		return r < 0 ? r : -EINTR;
	return WEXITSTATUS(status) == LOST ? -EPERM : WEXITSTATUS(status);
}
