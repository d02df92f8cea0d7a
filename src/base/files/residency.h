/* SPDX-License-Identifier: MIT */
/* Looks up what of a file is in the page cache. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Which pages, from the one at `offset` on, of an open file are resident, by mincore(2): bit 0 of *present, one byte a
 * page. Returns 0, -EPERM as below, or negative errno.
 */
int residency_map(int fd, uint64_t offset, size_t pages, unsigned char *present);

/*
 * The bytes of [offset, offset + length) of an open file that are resident, by mincore(2). Unlike cachestat(2) it sees
 * through overlayfs and does not need Linux 6.5. Returns 0, or -EPERM if the kernel hides the truth: since Linux 5.2 it
 * calls all pages resident if the file is neither ours nor writable by us.
 */
int residency_of_range(int fd, uint64_t offset, uint64_t length, uint64_t *ret_bytes);

/*
 * Whether the page at an offset of an open file is resident, whoever owns the file, by preadv2(RWF_NOWAIT). This takes
 * a microsecond and never waits. But asking about a page that is not resident may start reading it, and what readahead
 * adds unless the file is POSIX_FADV_RANDOM. Some file systems do not support the question (FUSE, overlayfs, tmpfs):
 * there mincore(2) answers it for the file's owner and for those who can write to it. An answer that took longer than
 * `within_us` microseconds means that the page has arrived just now (format/resident.h). Returns 1, 0, -ENODATA past the
 * end, or -EPERM where mincore(2) hides the truth.
 */
int residency_of_page(int fd, uint64_t offset, unsigned within_us);
