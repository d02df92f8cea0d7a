/* SPDX-License-Identifier: MIT */
/*
 * Whether the date can be believed. A clock may be years ahead when the machine boots, until the network is there, or when somebody sets it
 * to try something; nothing that was learnt should be too old then.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CALENDAR_STEADY_S 3600  /* a date is believed when the clock has gone on like this for so long … */
#define CALENDAR_JUMP_S   86400 /* … and was not set by more than this meanwhile */

struct calendar {
	bool begun;
	int64_t booted; /* seconds since the epoch: when the machine was booted, by what the clock says now */
	uint64_t steady_from; /* seconds, CLOCK_BOOTTIME */
};

/*
 * `now` is what the clock says, in seconds since the epoch; `running` is CLOCK_BOOTTIME, in seconds. Returns `now` if that can be
 * believed, and otherwise 0: a date at which nothing is old.
 */
int64_t calendar_date(struct calendar *calendar, int64_t now, uint64_t running);

/* The same by the clocks of this machine. */
int64_t calendar_today(struct calendar *calendar);
