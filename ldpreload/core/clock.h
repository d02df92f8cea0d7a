/* SPDX-License-Identifier: MIT */
/* A clock without a libc. */
#pragma once

#include <stdint.h>

/* Microseconds since the machine started, without the time it was suspended. A system call: 60 nanoseconds. */
int64_t now_us(void);

/* Seconds since the epoch. */
int64_t epoch_seconds(void);

static inline int64_t now_ms(void)
{
	return now_us() / 1000;
}
