/* SPDX-License-Identifier: MIT */
/* Starts the prefetcher so that the program does not notice. */
#pragma once

/*
 * Runs the prefetcher with --fd, and with `mode` if it is not NULL, as a process of its own session. Of the program's
 * files it gets that of `fd` alone. Returns its process id once it has been executed, or 0. By then the intermediate
 * process is reaped; neither raises a signal. Waits for no file of the program's. Writes only to the stack; safe in a
 * signal handler, in a child of vfork(2), and in a program that is large or has threads.
 */
int spawn_prefetcher(int fd, const char *mode);
