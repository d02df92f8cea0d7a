/* SPDX-License-Identifier: MIT */
#include "core/clock.h"

#include "core/shim.h"

#include <linux/time.h>
#include <linux/time_types.h>

int64_t now_us(void)
{
	struct __kernel_timespec now = {0};

	raw_syscall(__NR_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
