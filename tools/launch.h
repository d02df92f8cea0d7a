/* SPDX-License-Identifier: MIT */
/* What the launcher has done by a detached process: the plan carried out, a plan compiled anew. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/plan-view.h"

/* Whether the program is started when the prefetcher has ended, or at once. */
enum launch_wait {
	LAUNCH_WAIT_AUTO = 0, /* as the plan's order wants it */
	LAUNCH_WAIT_NONE,
	LAUNCH_WAIT_DONE, /* all data has arrived */
};

struct launch {
	char *plan;       /* owned: the whole plan, private memory */
	size_t plan_size; /* bytes */
	char *plan_path;  /* owned */
	struct plan_view view;
	enum launch_wait wait;
	uint64_t memory_limit; /* bytes, 0 for none: of the settings */
	uint32_t time_ms;      /* milliseconds that the prefetcher may take; 0: as long as is usual */
	bool refresh;          /* have the plan compiled anew if it turns out to be stale */
};

/*
 * Starts a detached process that carries the plan out; returns when that has ended, if the program is to wait for it. No child is left to wait for. Returns 0 or negative errno.
 */
int launch_prefetcher(const struct launch *launch);

/*
 * Has the program's plan compiled from its stored profile by a detached process. Returns 0, -ECHILD where
 * that process would have to be waited for (detach.h), or negative errno.
 */
int launch_planner(const char *program);
