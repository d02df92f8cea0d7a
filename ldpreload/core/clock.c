/* SPDX-License-Identifier: MIT */
#include "core/clock.h"

#include "core/shim.h"

#include <linux/time.h>
#include <linux/time_types.h>

static struct __kernel_timespec now(int clock)
{
	struct __kernel_timespec now = {0};

	raw_syscall(__NR_clock_gettime, clock, (long)&now, 0, 0, 0, 0);
	return now;
}

int64_t now_us(void)
{
	struct __kernel_timespec time = now(CLOCK_MONOTONIC);

	return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

int64_t epoch_seconds(void)
{
	return now(CLOCK_REALTIME).tv_sec;
}
