/* SPDX-License-Identifier: MIT */
/*
 * Pages that have been in the page cache and are not any more, because the kernel took them out by itself: short of memory, or
 * with DAMON, which on some machines takes pages that nobody maps, at times milliseconds after they came. It remembers them, and
 * cachestat(2), Linux 6.5, tells. What POSIX_FADV_DONTNEED drops is forgotten, and so is what was taken before.
 */
#pragma once

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_cachestat
#define SYS_cachestat 451 /* on every processor */
#endif

/* How many pages of [offset, offset + size), which is not empty; 0 where the kernel does not tell. */
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
