/* SPDX-License-Identifier: MIT */
/*
 * What the layout of a file costs a start, in nanoseconds, to choose which pages lie together.
 *
 * A PT_LOAD costs every start; bytes and reads cost only a cold one. We cannot know how often a start is cold;
 * COST_COLD_SHARE is our assumption. With these figures gaps of up to 3 pages are filled, in code up to 8.
 */
#pragma once

#include <stdint.h>

/*
 * mmap(2), a VMA, and part of a minor fault. Measured: 751 more PT_LOADs in 56 libraries of gdb took 1.3 ms of 25.7 and
 * 105 to 133 faults of 2,878 (lower quartile of 250 warm starts each, interleaved).
 */
#define COST_SEGMENT_NS 3000u

/*
 * The additional cost of an end of a PT_LOAD that holds code: since Linux 6.17 the kernel reads ahead from a fault in
 * it only to that end (mm/filemap.c, do_sync_mmap_readahead). The additional fault costs more on a disk in a cloud than
 * on a rotational one, where the next touched page lies next. By a model of both, the 12,390 touched pages of libxul in
 * the order of a start of Firefox:
 *
 *     gaps filled, code / data     as it is   0 / 0   2 / 0   4 / 2   8 / 4  14 / 4  32 / 32
 *     faults                          1,469   2,648   1,833   1,610   1,456   1,385    1,434
 *     megabytes                         109      51      56      62      69      76       93
 *     rotational, seconds              13.7     7.7     8.8     9.8    10.7    11.3     12.7
 *     cloud, seconds                   2.04    2.52    1.92    1.78    1.72    1.72     1.89
 */
#define COST_CODE_END_NS 4000u

/* One of so many starts is cold. */
#define COST_COLD_SHARE 20u

/* Reading 4096 bytes more: at 125 MB/s, as from a disk in a cloud (a rotational one is half as fast). */
#define COST_PAGE_NS (33000u / COST_COLD_SHARE)

/* One read more in another place: between the latency of a disk in a cloud (0.8 ms) and a seek (10 ms). */
#define COST_READ_NS (2000000u / COST_COLD_SHARE)

/* Bytes that the kernel reads at once, around a fault or ahead: read_ahead_kb, which is 128 by default. */
#define COST_READ_AHEAD (128u << 10)

/*
 * The most PT_LOADs of a relaid file, unless the caller says otherwise. Their cost keeps most files far below; the
 * limit is for very large ones, of which one start touches a thousand places.
 */
#define COST_MAX_SEGMENTS 4096u

/* The kernel refuses an executable whose program headers are larger than 4096 bytes (before 6.17). */
#define COST_MAX_EXECUTABLE_PHDRS 73u
