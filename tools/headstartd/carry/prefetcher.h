/* SPDX-License-Identifier: MIT */
/* For a process that becomes the prefetcher of a start that has just begun: root's, or a user's for this user's own plan. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "format/plan-view.h"

#define PLAN_FD 3 /* where the prefetcher finds the plan */

/* Whether pages of the plan are missing in memory. Looks at some of them. */
bool prefetcher_is_needed(const struct plan_view *plan);

enum prefetcher_claim {
	PREFETCHER_OURS,
	PREFETCHER_LEFT, /* a shim or a launcher has started one, of root's or of `user` */
	PREFETCHER_FAILED,
};

/* Opens the plan as PLAN_FD, and takes the lock by which others leave the plan to us. */
enum prefetcher_claim prefetcher_claim(const char *path, uid_t user);

/* Executes the prefetcher on PLAN_FD; returns if that fails. With `stay` it leaves no process behind (headstart-prefetch(8)). */
void prefetcher_become(const char *prefetcher, bool stay);
