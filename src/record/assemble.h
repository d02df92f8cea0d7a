/* SPDX-License-Identifier: MIT */
/*
 * From events and files to a profile; no system call is made here.
 *
 * A page was touched when it raised a fault or lay in a range that was read; and when fault-around mapped it while it
 * was resident without such an event (the program's own readahead(2) had brought it, or it could not be evicted).
 * Ranges are clipped to the end of the file. The first touch of a page gives it its order.
 */
#pragma once

#include "record/trace.h"

struct assemble_summary {
	uint64_t events_unknown; /* touches of inodes that have no file: deleted, or not on a disk */
	/* Touched pages that never entered the page cache: they had been there before. */
	uint64_t pages_resident;
};

/*
 * Sorts trace->events and trace->execs by time; an exec is placed before the read of its program's first page, which
 * the kernel makes before it reports the exec. `added_is_touch`: the kernel has no better events, what enters the page
 * cache counts. Fills touches, files (path, kind, order, ranges) and execs of *into, whose program is set, and calls
 * profile_finish(). Returns 0 or negative errno.
 */
int assemble(struct record_trace *trace, const struct record_files *files, bool added_is_touch,
	struct profile *into, struct assemble_summary *ret_summary);
