/* SPDX-License-Identifier: MIT */
/* Starting the prefetcher so that the program never learns of it. */
#pragma once

#include <stdbool.h>

/*
 * Runs the prefetcher with the given arguments (argv[0] included, NULL at the end) as a process of its own
 * session, with `fd` as its descriptor 3, /dev/null as 0 to 2, and nothing else from the program. What the
 * program could notice is undone when this returns: the process between them is reaped, and none of it raises
 * a signal. Returns whether the process was started; whether the prefetcher could be executed is not waited
 * for.
 */
bool spawn_prefetcher(int fd, const char *const argv[]);

/* The same, and returns when the prefetcher has ended, however it ends, or after that many milliseconds. */
bool spawn_prefetcher_and_wait(int fd, const char *const argv[], unsigned int limit_ms);
