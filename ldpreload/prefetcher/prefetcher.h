/* SPDX-License-Identifier: MIT */
/* What a child of the program does to become the prefetcher. */
#pragma once

/* The prefetcher's executable. */
const char *prefetcher_path(void);

/*
 * Executes the prefetcher with --fd, and with `mode` if it is not NULL. Of the program's files it has that of `fd` alone,
 * under another number. If that is a plan, its lock names this process as its prefetcher from then on
 * (format/plan-locks.h). Call it only in a child that has signals and descriptors of its own. Writes only to the stack,
 * of which 1 KiB is enough.
 */
void prefetcher_become(int fd, const char *mode) __attribute__((noreturn));

/* Ends a child. */
void prefetcher_exit(int status) __attribute__((noreturn));
