/* SPDX-License-Identifier: MIT */
/* What the launcher has done by a detached process: the plan carried out, a plan compiled anew. */
#pragma once

#include <stddef.h>

#include "format/plan-view.h"

/* How far the prefetcher must have come before the program is started. */
enum launch_wait {
	LAUNCH_WAIT_AUTO = 0, /* as the plan's order wants it */
	LAUNCH_WAIT_NONE,
	LAUNCH_WAIT_OPEN, /* every file of the plan is open: its metadata is cached */
	LAUNCH_WAIT_DONE, /* all data has arrived */
};

struct launch {
	char *plan;       /* owned: the whole plan, private memory */
	size_t plan_size; /* bytes */
	char *plan_path;  /* owned */
	struct plan_view view;
	enum launch_wait wait;
};

/*
 * Starts a detached process that carries the plan out; returns when it has reached the stage to wait for, or at once
 * if it dies. No child is left to wait for. Returns 0 or negative errno.
 */
int launch_prefetcher(const struct launch *launch);

/* Has the program's plan compiled from its stored profile by a detached process that waits for nobody. */
int launch_planner(const char *program);

/* Becomes 'headstart-tool plan --program PROGRAM', at idle I/O priority. Returns only on failure. */
void exec_planner(const char *program);
