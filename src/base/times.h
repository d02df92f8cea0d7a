/* SPDX-License-Identifier: MIT */
/* Times as file formats hold them. */
#pragma once

#include <stdint.h>
#include <time.h>

/* Nanoseconds since the epoch; the farthest that fits for times (a file's may be any) that do not. */
static inline int64_t nanoseconds(struct timespec time)
{
	int64_t ns;

	if (__builtin_mul_overflow((int64_t)time.tv_sec, 1000000000, &ns) ||
		__builtin_add_overflow(ns, time.tv_nsec, &ns))
		return time.tv_sec < 0 ? INT64_MIN : INT64_MAX;
	return ns;
}
