/* SPDX-License-Identifier: MIT */
/* What a child of the program does to become the prefetcher. */
#pragma once

/* The prefetcher's executable. */
const char *prefetcher_path(void);

/*
 * Executes the prefetcher with these arguments, with `fd` as its descriptor 3, /dev/null as 0 to 2, and nothing else of
 * the program's. If `fd` is a plan, its lock names this process as its prefetcher from then on (format/plan-locks.h).
 * Call it only in a child that has signals and descriptors of its own. Writes only to the stack, of which 1 KiB is
 * enough.
 */
void prefetcher_become(int fd, const char *const argv[]) __attribute__((noreturn));

/* Ends a child. */
void prefetcher_exit(int status) __attribute__((noreturn));
