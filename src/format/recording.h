/* SPDX-License-Identifier: MIT */
/*
 * The name of a recording, which HEADSTART_RECORDING has in the environment of what is recorded. Freestanding: shims, launcher and daemon read ahead
 * for nothing that has it. A program that was recorded may go on for days, as a terminal or a desktop does, and all that is
 * started in it inherits the variable. So the name says when the recording is over at the latest:
 *
 *     PROCESS-SECRET-END        END: seconds since the machine booted, as in /proc/uptime
 *
 * A name without an end is over never.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The number at the beginning of the text. */
static inline uint64_t recording_number(const char *text)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < 18 && text[i] >= '0' && text[i] <= '9'; i++)
		number = number * 10 + (uint64_t)(text[i] - '0');
	return number;
}

/* When the recording is over at the latest; UINT64_MAX: never. */
static inline uint64_t recording_end(const char *name)
{
	unsigned parts = 0;

	for (; *name; name++)
		if (*name == '-' && ++parts == 2)
			return name[1] >= '0' && name[1] <= '9' ? recording_number(name + 1) : UINT64_MAX;
	return UINT64_MAX;
}
