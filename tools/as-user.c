/* SPDX-License-Identifier: MIT */
/* fork, become, work, wait. */
#include "as-user.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/user.h"

#define TIME_MAX 60  /* seconds */
#define LOST     125 /* exit status of a child that could not become the user */

int as_user(const char *name, int (*work)(void *context), void *context)
{
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child < 0)
		return -errno;
	if (child == 0) {
		alarm(TIME_MAX);
		umask(077);
		_exit(user_become(name) < 0 || chdir("/") < 0 ? LOST : work(context));
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (!WIFEXITED(status))
		return -EINTR;
	return WEXITSTATUS(status) == LOST ? -EPERM : WEXITSTATUS(status);
}
