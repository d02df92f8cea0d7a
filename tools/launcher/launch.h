/* SPDX-License-Identifier: MIT */
/* Work that the launcher leaves to a detached process: carrying out the plan, and compiling a plan anew. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/store/load.h"

/* Whether the program starts when the prefetcher has ended, or at once. */
enum launch_wait {
	LAUNCH_WAIT_AUTO = 0, /* the plan's order decides */
	LAUNCH_WAIT_NONE,
	LAUNCH_WAIT_DONE, /* all data has arrived */
};

struct launch {
	struct loaded_plan plan; /* owned */
	char *plan_path;         /* owned */
	enum launch_wait wait;
	uint64_t memory_limit; /* bytes, 0 for none: from the settings */
	uint32_t time_ms;      /* milliseconds that the prefetcher may take; 0: the usual limit */
	bool verbose;          /* the prefetcher says on stderr what it has read, when it is done */
	bool refresh;          /* compile the plan anew if it is stale */
};

/*
 * Starts a detached process that carries the plan out. If the program has to wait for it, returns when that has ended.
 * Leaves no child to wait for. Returns 0 or negative errno.
 */
int launch_prefetcher(const struct launch *launch);

/*
 * Has the program's plan compiled from its stored profile (prefetcher/heal.h); `stale_plan` is the path of the plan that
 * is marked as stale, or NULL. Returns 0, -ECHILD if the caller would have to wait for the planner
 * (prefetcher/detach.h), or negative errno.
 */
int launch_planner(const char *program, const char *stale_plan);
