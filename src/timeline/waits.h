/* SPDX-License-Identifier: MIT */
/* What a thread waits for, as far as its system call shows. Internal to src/timeline. */
#pragma once

#include "timeline/timeline.h"

struct wait {
	int64_t call;  /* the last system call that it began; -1: none yet */
	bool deep;     /* it cannot be interrupted (D) */
	bool has_file; /* it has touched or asked for pages of a file since that call began */
};

/* The state of a thread that gives up its processor so. Never TIMELINE_RUNNING or TIMELINE_RUNNABLE. */
enum timeline_state wait_state(const struct wait *wait);
