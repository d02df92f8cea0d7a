/* SPDX-License-Identifier: MIT */
/* Budgets are checked between system calls. The timer is for a call that never returns, because a server is dead. */
#include "prefetcher/time-limit.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

#include "base/run/signals.h"

#define LAST_GASP_MS 1000 /* milliseconds to end normally, after the last work has begun */

void time_limit_set(uint32_t ms)
{
	uint64_t end_ms = (uint64_t)ms + LAST_GASP_MS;
	struct itimerval timer = {.it_value = {.tv_sec = (time_t)(end_ms / 1000),
					  .tv_usec = (suseconds_t)(end_ms % 1000) * 1000}};

	if (ms == 0)
		return;
	signal(SIGALRM, SIG_DFL);
	signal_unblock(SIGALRM);
	setitimer(ITIMER_REAL, &timer, NULL);
}
