/* SPDX-License-Identifier: MIT */
/* A child that does nothing until it is killed, for unit tests. Include it after cmocka.h. */
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* It has all files that we have open, and ends with us. */
static inline pid_t start_hanging(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid;
}

static inline void end_hanging(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}
