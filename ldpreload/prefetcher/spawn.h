/* SPDX-License-Identifier: MIT */
/* Starts the prefetcher so that the program does not notice. */
#pragma once

/*
 * Runs the prefetcher with these arguments (argv[0] included, NULL at the end) as a process of its own session, with
 * `fd` as its descriptor 3, /dev/null as 0 to 2, and nothing else of the program's. Returns its process id once it has
 * been executed, or 0. By then the intermediate process is reaped; neither raises a signal. Writes only to the stack;
 * safe in a signal handler, in a child of vfork(2), and in a program that is large or has threads.
 */
int spawn_prefetcher(int fd, const char *const argv[]);
