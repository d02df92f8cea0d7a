/* SPDX-License-Identifier: MIT */
/*
 * Takes the files of one plan out of the page cache, and looks whether they are out. It leaves the rest of the cache
 * alone, and needs no rights but to read the files: posix_fadvise(POSIX_FADV_DONTNEED).
 *
 * Pages stay that some process has mapped. The inodes and folders of the files stay, too, since only root can evict
 * those, and only of the whole machine.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/plan-view.h"

struct cold_report {
	uint32_t files;      /* regular files of the plan that are as planned */
	uint64_t bytes;      /* that the plan reads of them */
	uint32_t unreadable; /* files of the plan that have changed or gone, or that we may not read */
	/*
	 * The kernel says exactly what is resident only of files that are ours or that we may write. Of the others, a few
	 * pages all over the plan are looked at.
	 */
	uint32_t files_left;  /* files with pages that stay, or of which a page that we looked at stays */
	uint64_t bytes_left;  /* of the files that are known exactly */
	uint32_t looked_at;   /* pages of other files */
	uint32_t looked_left; /* of these, those that stay */
};

/* Returns 0 or -ENOMEM. */
int cold_make(const struct plan_view *plan, struct cold_report *ret);

/* Takes a single file out of the page cache, as far as that is possible. */
void cold_evict(const char *path);
