/* SPDX-License-Identifier: MIT */
#include "base/run/child-signal.h"

#include <signal.h>
#include <stdbool.h>

static bool ignored, pipe_heeded;

void child_signal_heed(void)
{
	ignored = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
}

void child_signal_ignore_pipe(void)
{
	pipe_heeded |= signal(SIGPIPE, SIG_IGN) == SIG_DFL;
}

void child_signal_put_back(void)
{
	if (ignored)
		signal(SIGCHLD, SIG_IGN);
	if (pipe_heeded)
		signal(SIGPIPE, SIG_DFL);
}
