/* SPDX-License-Identifier: MIT */
/* How much of a plan is in the page cache. */
#pragma once

#include <stdint.h>

#include "format/plan-view.h"

/*
 * The bytes of [offset, offset + length) of an open file that are resident, by cachestat(2) (Linux 6.5), else by
 * mincore(2). Returns 0, or -EPERM where the kernel does not tell us: of files that are neither ours nor writable by
 * us cachestat says EPERM, and mincore, since Linux 5.2, that all is resident.
 */
int residency_of_range(int fd, uint64_t offset, uint64_t length, uint64_t *ret_bytes);

/* The same of all extents of a plan; files that have changed or gone count for nothing. */
int residency_of_plan(const struct plan_view *plan, uint64_t *ret_bytes);
