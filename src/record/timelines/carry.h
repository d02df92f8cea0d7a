/* SPDX-License-Identifier: MIT */
/*
 * What each thread was doing when a window of time ended, so that the timeline of the next window can begin with it: as
 * moments at its very beginning.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/inode-map.h"
#include "record/events/trace.h"
#include "timeline/moment.h"

struct carried {
	int32_t tid, pid, parent; /* the parent's pid */
	bool ended, on_processor;
	bool has_others; /* carry_drop_ended(): some thread of its process has not ended */
	bool has_call, has_touch;
	bool narrow;                  /* as MOMENT_NARROW */
	struct timeline_moment away;  /* how it left the processor; its name and state */
	struct timeline_moment call;  /* its last one */
	struct timeline_moment touch; /* of a file, since that call */
};

struct carry {
	struct carried *items; /* owned */
	size_t count, capacity;
	struct inode_map by_tid; /* tids, as inodes */
};

/* Adds a thread that is there already. `state` is as sched_switch has it. Returns 0 or -ENOMEM. */
int carry_add(struct carry *carry, const struct carried *thread, const char *name, uint32_t state);

/* The thread, or NULL. Valid until something is added. */
struct carried *carry_find(const struct carry *carry, int32_t tid);

/*
 * Adds moments that say what the threads do at `began`, as children of the thread `first`. A thread of the carry that was made
 * before `looked` is not made again by a moment of the trace. Returns 0 or -ENOMEM.
 */
int carry_begin(const struct carry *carry, uint64_t began, int32_t first, uint64_t looked,
	struct record_trace *trace);

/*
 * Goes through the moments, which are ascending. Threads that end stay until carry_drop_ended(), and the first one of a process
 * as long as others of it go on. Returns 0 or -ENOMEM.
 */
int carry_take(struct carry *carry, const struct timeline_moment *moments, size_t n);
int carry_drop_ended(struct carry *carry);
void carry_release(struct carry *carry);
