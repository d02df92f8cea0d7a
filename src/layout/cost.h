/* SPDX-License-Identifier: MIT */
/*
 * What the layout of a file costs its start, in nanoseconds, for the choice of which pages lie together.
 *
 * A PT_LOAD costs every start; bytes and reads cost a cold one. How often a start is cold is not known to a
 * file: COST_COLD_SHARE is what is assumed. With these a gap of up to 4 pages is filled, of code up to 14.
 */
#pragma once

#include <stdint.h>

/*
 * mmap(2), a VMA, some of a minor fault. Measured: 751 more in 56 libraries of gdb took 1.3 ms of 25.7 and
 * 105 to 133 faults of 2,878 (lower quartile of 250 warm starts each, interleaved).
 */
#define COST_SEGMENT_NS 3000u

/*
 * What an end of a PT_LOAD costs more where it holds code: since Linux 6.16 the kernel reads ahead from a fault
 * in it to that end, no further (mm/filemap.c, do_sync_mmap_readahead). Of libxul's 12,390 touched pages, in the
 * order of a start of Firefox, faults of 128 KiB with that limit: 1,469 (109 MB) as it is; 2,648 with no gap
 * filled (51 MB), 1,622 with gaps to 4 pages (63 MB), 1,483 to 8 (71 MB), 1,433 to 16 (81 MB) and to 32 (93 MB).
 */
#define COST_CODE_END_NS 6400u

/* One of how many starts is cold. */
#define COST_COLD_SHARE 25u

/* 4096 bytes more to be read: at 125 MB/s, as from a disk in a cloud (a rotational one is half as fast). */
#define COST_PAGE_NS (33000u / COST_COLD_SHARE)

/* One read more in another place: between the latency of a disk in a cloud (0.8 ms) and a seek (10 ms). */
#define COST_READ_NS (2000000u / COST_COLD_SHARE)

/*
 * How many PT_LOADs a relaid file has at most, unless told otherwise. Of most files their price leaves far fewer;
 * this is for very large ones, of which one start touches a thousand places.
 */
#define COST_MAX_SEGMENTS 1024u

/* The kernel refuses an executable whose program headers are larger than 4096 bytes (before 6.17). */
#define COST_MAX_EXECUTABLE_PHDRS 73u
