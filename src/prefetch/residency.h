/* SPDX-License-Identifier: MIT */
/* What is in the page cache. */
#pragma once

#include <stdint.h>

#include "format/plan-view.h"

/*
 * The bytes of [offset, offset + length) of an open file that are resident, by mincore(2): it sees through
 * overlayfs, which cachestat(2) does not, and needs no Linux 6.5. Returns 0, or -EPERM where the kernel does
 * not tell us: of files that are neither ours nor writable by us it says, since Linux 5.2, that all is
 * resident.
 */
int residency_of_range(int fd, uint64_t offset, uint64_t length, uint64_t *ret_bytes);

/*
 * Whether the page at an offset of an open file is resident, of anybody's file, by preadv2(RWF_NOWAIT): in a microsecond, and
 * without waiting; but a page that is not may be read because of it, and what readahead adds to it, if the file is not
 * POSIX_FADV_RANDOM. Returns 1, 0, or -ENODATA past the end, -EOPNOTSUPP where the file system cannot tell (tmpfs, overlayfs).
 */
int residency_of_page(int fd, uint64_t offset);

/* residency_of_range() of all extents of a plan; files that have changed or gone count for nothing. */
int residency_of_plan(const struct plan_view *plan, uint64_t *ret_bytes);
