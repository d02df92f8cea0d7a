/* SPDX-License-Identifier: MIT */
/* The result of a compaction. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct compacted {
	uint8_t *data; /* owned: the whole file */
	uint64_t size;
	/* Bytes from the beginning of the file that are first page, tables and hot pages. */
	uint64_t hot_size;
	size_t n_segments;     /* PT_LOADs */
	uint64_t cold_touched; /* pages that were touched and are cold all the same */
	uint64_t cold_reads;   /* stretches of these */
	size_t n_touched_runs; /* stretches of touched pages of the original */
	size_t n_hot_runs;     /* stretches of memory that are hot */
};

void compacted_release(struct compacted *compact);

static inline void compacted_releasep(struct compacted *compact)
{
	compacted_release(compact);
}
