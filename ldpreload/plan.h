/* SPDX-License-Identifier: MIT */
/* Plan mode: the plan of a program that is starting or about to be started, and whether it is worth carrying
 * out. */
#pragma once

#include "shim.h"

#include "format/plan.h"

/* The program in question: the one we are loaded into, or one that it starts. */
struct plan_target {
	const char *given; /* its path, as the kernel gets it; NULL: only its descriptor is known */
	int fd;            /* open on it, perhaps with O_PATH; -1: not opened */
	enum shim_answer unfiltered;
	bool linked; /* a folder of plans has the sign that `given` is a link to a planned program */
	char path[SHIM_PATH_MAX]; /* its path without symbolic links, as the tools see it, once a plan was
				     looked for */
};

static inline void plan_target_init(struct plan_target *target, const char *given, int fd)
{
	target->given = given;
	target->fd = fd;
	target->unfiltered = SHIM_NOT_ASKED;
	target->linked = false;
	target->path[0] = '\0';
}

struct plan {
	int fd;
	enum plan_order order;
	bool cold; /* pages of it are not there */
};

#define PLAN_WAIT_MS 10000 /* a prefetcher that takes longer is stuck, or of little use */

/*
 * Whether the program sleeps until the plan is carried out: if that is in physical order (for a rotational disk), and
 * HEADSTART_WAIT is not 0. It would sleep in page faults otherwise, and longer, for the reads of the two send the head to
 * and fro (ARCHITECTURE.md, "When the program is started").
 */
bool plan_waited_for(const struct plan *plan);

/* Whether there is a plan of the program that may be trusted. If so, ret->fd is the caller's. */
bool plan_find(struct plan_target *target, struct plan *ret);

/* The same, but the path as given is taken for one without links unless there is a sign that it has some: two opens at
 * most where there is no plan. */
bool plan_find_as_given(struct plan_target *target, struct plan *ret);

/* Whether the program, once it is executed, finds the plan that plan_find() has found: plan_find_as_given() does not by a
 * relative path, nor by one with links that has no sign. */
bool plan_found_as_given(struct plan_target *target);
