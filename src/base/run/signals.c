/* SPDX-License-Identifier: MIT */
#include "base/run/signals.h"

#include <errno.h>
#include <sys/signalfd.h>

int signals_take(const int *signals, sigset_t *ret_before, int *ret_fd)
{
	sigset_t mask;

	sigemptyset(&mask);
	for (; *signals; signals++)
		sigaddset(&mask, *signals);
	if (sigprocmask(SIG_BLOCK, &mask, ret_before) < 0)
		return -errno;
	*ret_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	return *ret_fd < 0 ? -errno : 0;
}

bool signal_is_ignored(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void signal_unblock(int number)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
}
