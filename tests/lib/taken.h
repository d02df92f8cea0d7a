/* SPDX-License-Identifier: MIT */
/*
 * Pages that the kernel has taken out of the page cache by itself: because memory was short, or by DAMON, which on
 * some machines takes pages that nobody maps, at times milliseconds after they came. The kernel remembers such pages,
 * and cachestat(2), Linux 6.5, counts them. It forgets pages that POSIX_FADV_DONTNEED drops, and what was taken
 * before these.
 */
#pragma once

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_cachestat
#define SYS_cachestat 451 /* on every processor */
#endif

/*
 * Returns how many pages of [offset, offset + size), which is not empty, were taken; 0 where the kernel does not
 * report them.
 */
static inline uint64_t pages_taken(int fd, uint64_t offset, uint64_t size)
{
	struct {
		uint64_t offset, size;
	} range = {offset, size};
	struct {
		uint64_t cached, dirty, written_back, evicted, recently_evicted;
	} pages = {0};

	return syscall(SYS_cachestat, fd, &range, &pages, 0) == 0 ? pages.evicted : 0;
}
