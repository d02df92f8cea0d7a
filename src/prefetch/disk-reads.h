/* SPDX-License-Identifier: MIT */
/*
 * How much of what we asked for came from a disk: the kernel counts for each process and thread (proc_pid_io(5)). The
 * rest was in memory already, or somebody else was reading it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct disk_reads {
	bool known;       /* the kernel counts (CONFIG_TASK_IO_ACCOUNTING), and /proc is there */
	uint64_t thread;  /* bytes that this thread has had read */
	uint64_t process; /* bytes that all threads have, io_uring's workers included */
};

struct disk_reads disk_reads_so_far(void);

/*
 * The bytes read since then, `asked` at most. Reads of this thread count, because names and inodes are mostly read by
 * io_uring's workers. Only if it has read nothing, as on file systems that leave all reads to workers (overlayfs), those
 * of the process do. Returns whether the kernel says.
 */
bool disk_reads_since(const struct disk_reads *then, uint64_t asked, uint64_t *ret);
