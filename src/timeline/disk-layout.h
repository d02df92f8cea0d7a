/* SPDX-License-Identifier: MIT */
/*
 * The timeline on disk. It is little-endian, with tables and strings one after the other in the order in which they are
 * read, so that there is no offset to go wrong:
 *
 *     struct disk_header
 *     struct disk_file[file_count]
 *     struct disk_thread[thread_count]   ascending by begin
 *     struct disk_unit[thread_count]     of a boot (version 3) only
 *     struct disk_exec[exec_count]       ascending by time
 *     struct disk_span[span_count]       ascending by thread, then by begin
 *     struct disk_read[read_count]       ascending by begin
 *     uint64_t[mark_count]               times, ascending
 *     strings                            NUL-terminated: command, program, kernel, ended_by, then the path of each file,
 *                                        the name of each thread, the path of each exec, the name of each mark, each note
 *     checksum                           XXH3-64 of all bytes before it
 *
 * The fields are those of timeline.h. A field may be added only with a new version: a reader refuses one it does not know.
 */
#pragma once

#include <stdint.h>

#define TIMELINE_VERSION      2u
#define TIMELINE_VERSION_BOOT 3u /* as version 2, with units */

#define TIMELINE_LOST 1u /* header.flags */

#define READ_SEEKS          1u /* disk_read.flags */
#define READ_AHEAD          2u
#define READ_PREFETCH_SHIFT 2 /* enum timeline_prefetch */
#define READ_PREFETCH_MASK  7u

struct disk_header {
	uint8_t magic[8]; /* TIMELINE_MAGIC */
	uint32_t version; /* TIMELINE_VERSION, or of a boot TIMELINE_VERSION_BOOT */
	uint32_t page_size;
	uint64_t file_size; /* bytes, the checksum included */
	int64_t recorded;
	uint64_t duration;
	uint64_t prefetched;
	uint32_t flags;
	uint32_t file_count;
	uint32_t thread_count;
	uint32_t exec_count;
	uint32_t span_count;
	uint32_t read_count;
	uint32_t mark_count;
	uint32_t note_count;
	uint32_t strings_size; /* bytes */
	uint32_t reserved;     /* 0 */
};

struct disk_file {
	uint64_t pages;
	uint32_t kind;
	uint32_t reserved; /* 0 */
};

struct disk_thread {
	uint64_t begin, end;
	uint32_t tid, pid;
	uint32_t parent;
	uint32_t reserved; /* 0 */
};

struct disk_unit {
	uint64_t started, active;
};

struct disk_exec {
	uint64_t time;
	uint32_t thread;
	uint32_t reserved; /* 0 */
};

struct disk_span {
	uint64_t begin, end;
	uint32_t thread;
	uint16_t state;
	uint16_t woken_by;
	uint32_t file;
	uint32_t read;
	uint32_t note;
	uint32_t waker;
};

struct disk_read {
	uint64_t begin, end;
	uint64_t place;
	uint32_t thread;
	uint32_t file;
	uint32_t page, pages;
	uint32_t disk;
	uint32_t flags;
};

_Static_assert(sizeof(struct disk_header) == 88, "on-disk layout");
_Static_assert(sizeof(struct disk_file) == 16, "on-disk layout");
_Static_assert(sizeof(struct disk_thread) == 32, "on-disk layout");
_Static_assert(sizeof(struct disk_unit) == 16, "on-disk layout");
_Static_assert(sizeof(struct disk_exec) == 16, "on-disk layout");
_Static_assert(sizeof(struct disk_span) == 40, "on-disk layout");
_Static_assert(sizeof(struct disk_read) == 48, "on-disk layout");
