/* SPDX-License-Identifier: MIT */
/* Plans heal: a plan that a start has found stale is compiled anew, by a process that nobody waits for. */
#pragma once

#include <stdbool.h>

struct heal {
	const char *program;   /* canonical path */
	const char *plan_path; /* of the plan, which is marked as stale; NULL: there is none */
	bool bare;             /* the environment says nothing of the user: the folder of the plan does */
	bool stay;             /* what is left behind would be ended with us */
};

/*
 * Starts 'headstart-tool plan --program PROGRAM' in a detached process (prefetcher/detach.h), at the lowest priorities,
 * with its output on /dev/null. One at a time does this for a plan. Where detach_stays(), the process remains a child,
 * and the caller must end without waiting for it. With `stay`
 * this process becomes it, keeps its standard streams and its time limit, and returns only if that fails. Returns 0, -EPERM (the plan is not this user's to replace), -EAGAIN
 * (there is no room for processes), or negative errno.
 */
int heal_plan(const struct heal *heal);
