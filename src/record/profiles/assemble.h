/* SPDX-License-Identifier: MIT */
/*
 * Makes a profile from events and files, without any system call.
 *
 * A page counts as touched if it raised a fault or lay in a range that was read. It also counts if fault-around mapped
 * it while it was resident without such an event: the program's own readahead(2) had brought it in, or it could not be
 * evicted. Such a page is unsure (struct profile_doubt). Ranges are clipped to the end of the file. The first touch of a page gives it its order.
 */
#pragma once

#include "record/events/trace.h"

struct assemble_summary {
	uint64_t events_unknown; /* touches of inodes that have no file: deleted, or not on a disk */
	/* Touched pages that never entered the page cache, because they were there before. */
	uint64_t pages_resident;
	uint32_t found; /* touches before the last RECORD_FOUND: later ones were seen */
};

/*
 * Sorts trace->events and trace->execs by time. The kernel reports an exec only after it has read the program's first
 * page, so each exec is placed before that read. `added_is_touch`: the kernel has no better events, so every page that
 * enters the page cache counts as touched. Fills touches, files (path, kind, order, ranges) and execs of *into, whose
 * program is set, and calls profile_finish(). Sets trace->lost if there are more pages than can be kept. Returns 0 or negative errno.
 */
int assemble(struct record_trace *trace, const struct record_files *files, bool added_is_touch,
	struct profile *into, struct assemble_summary *ret_summary);
