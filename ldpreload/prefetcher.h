/* SPDX-License-Identifier: MIT */
/* What a child of the program does to become the prefetcher. */
#pragma once

#include <stdbool.h>

/* The prefetcher's executable. */
const char *prefetcher_path(void);

/*
 * Executes the prefetcher with these arguments, with `fd` as its descriptor 3, `alive` (unless negative) as
 * 4, /dev/null as 0 to 2, and nothing else of the program's. Only in a child that has memory or at least
 * signals and descriptors of its own; writes to no memory but the stack, of which 1 KiB will do.
 */
void prefetcher_become(int fd, int alive, const char *const argv[]) __attribute__((noreturn));

/* Ends a child. */
void prefetcher_exit(int status) __attribute__((noreturn));
