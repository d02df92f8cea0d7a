/* SPDX-License-Identifier: MIT */
/* Starting the prefetcher from a program that may be large, have threads, or share its memory with its
 * parent. */
#pragma once

#include <stdbool.h>

/*
 * As spawn_prefetcher(), but nothing is copied: the program's memory is shared until the prefetcher is
 * executed, and this thread waits for that. Safe in a signal handler and in a child of vfork(2).
 */
bool share_prefetcher(int fd, const char *const argv[]);
