/* SPDX-License-Identifier: MIT */
#include "base/run/child-signal.h"

#include <signal.h>
#include <stdbool.h>

static bool ignored;

void child_signal_heed(void)
{
	ignored = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
}

void child_signal_put_back(void)
{
	if (ignored)
		signal(SIGCHLD, SIG_IGN);
}
