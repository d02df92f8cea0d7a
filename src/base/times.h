/* SPDX-License-Identifier: MIT */
/* Times as file formats hold them, and the clock for measuring durations. */
#pragma once

#include <stdint.h>
#include <time.h>

/* Nanoseconds since the epoch. A file may have any time: one that does not fit becomes the nearest that does. */
static inline int64_t nanoseconds(struct timespec time)
{
	int64_t ns;

	if (__builtin_mul_overflow((int64_t)time.tv_sec, 1000000000, &ns) ||
		__builtin_add_overflow(ns, time.tv_nsec, &ns))
		return time.tv_sec < 0 ? INT64_MIN : INT64_MAX;
	return ns;
}

/* Seconds since the epoch, moved by the offset of the local time zone. */
static inline int64_t local_seconds(void)
{
	time_t now = time(NULL);
	struct tm local;

	return localtime_r(&now, &local) ? now + local.tm_gmtoff : now;
}

/* CLOCK_MONOTONIC, in nanoseconds. */
static inline uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t monotonic_us(void)
{
	return monotonic_ns() / 1000;
}

static inline uint64_t monotonic_ms(void)
{
	return monotonic_ns() / 1000000;
}

/* Since the machine booted, as in /proc/uptime, with the time that it slept. */
static inline uint64_t boottime_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec;
}
