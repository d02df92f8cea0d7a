/* SPDX-License-Identifier: MIT */
/*
 * Fills the model where there are no events of the kernel's: /proc says what processes are doing at this moment and how much
 * they have read; the recording, which files they have touched.
 */
#pragma once

#include "base/inode-map.h"
#include "live/live.h"
#include "record/events/trace.h"

struct look {
	struct inode_map files; /* owned; of those that are indexed: the files of the recording */
	size_t indexed;
	bool comes_late; /* what the processes of the first turn have read before does not count */
};

/*
 * Adds what has happened until now to the model, and takes it out of the trace: `pids` are the processes that there are.
 * Returns 0 or -ENOMEM.
 */
int look_turn(struct look *look, struct record_trace *trace, const struct record_files *files,
	const int32_t *pids, size_t n_pids, uint64_t now, struct live *live);
void look_release(struct look *look);
