/* SPDX-License-Identifier: MIT */
/* fork, become, work, wait. */
#include "as-user.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "record/user.h"

#define TIME_MAX 60  /* seconds */
#define LOST     125 /* exit status of a child that could not become the user */

/* The child has the user's ids, so the user can stop it; a stopped process does not even hear an alarm. */
static void end_in_time(pid_t child)
{
	_cleanup_close_ int fd = (int)syscall(SYS_pidfd_open, child, 0);
	struct pollfd ended = {.fd = fd, .events = POLLIN};
	struct timespec left = {.tv_sec = TIME_MAX};

	if (fd >= 0 && ppoll(&ended, 1, &left, NULL) != 1)
		kill(child, SIGKILL);
}

int as_user(const char *name, int (*work)(void *context), void *context)
{
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child < 0)
		return -errno;
	if (child == 0) {
		umask(077);
		_exit(user_become(name) < 0 || chdir("/") < 0 ? LOST : work(context));
	}
	end_in_time(child);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (!WIFEXITED(status))
		return -EINTR;
	return WEXITSTATUS(status) == LOST ? -EPERM : WEXITSTATUS(status);
}
