/* SPDX-License-Identifier: MIT */
/*
 * How many more processes and threads there may be: the program's own fork must not fail because of us. Freestanding:
 * the shims, the launcher and the prefetcher must agree when there are too few.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PROCESS_ROOM_MIN     32         /* with less room no prefetcher is started */
#define PROCESS_ROOM_UNKNOWN UINT64_MAX /* what the functions below return where a text has no such number */

/* The number that a text such as pids.max or pids.current begins with; "max" is none. */
static inline uint64_t process_room_number(const char *text, size_t size)
{
	uint64_t number = 0;

	if (size == 0 || text[0] < '0' || text[0] > '9')
		return PROCESS_ROOM_UNKNOWN;
	for (size_t i = 0; i < size && i < 18 && text[i] >= '0' && text[i] <= '9'; i++)
		number = number * 10 + (uint64_t)(text[i] - '0');
	return number;
}

/*
 * The processes and threads of the machine, as /proc/loadavg has them: "0.00 0.00 0.00 1/234 5678". RLIMIT_NPROC limits
 * those of one user. The kernel does not report their number cheaply, but there are no more than this.
 */
static inline uint64_t process_room_tasks(const char *text, size_t size)
{
	size_t i = 0;

	while (i < size && text[i] != '/')
		i++;
	return i < size ? process_room_number(text + i + 1, size - i - 1) : PROCESS_ROOM_UNKNOWN;
}
