/* SPDX-License-Identifier: MIT */
/* Plan mode: the plan of a program that is starting or about to start, and whether its pages are missing. */
#pragma once

#include "core/shim.h"
#include "plan/asked.h"

#include "format/plan.h"

/* The program in question: the one we are loaded into, or one that it starts. */
struct plan_target {
	int fd; /* open on it with O_PATH; -1: not opened */
	enum shim_answer may_act;
	const struct start_arguments *arguments;
	bool linked; /* a folder of plans has a sign: the path is a link to a planned program */
	/* As the kernel gets it, or "" if only the descriptor is known. Once plan_find() has found a plan, it is the
	 * canonical path, which the plan is named after. */
	char path[SHIM_PATH_MAX];
};

/* A path that is too long counts as unknown. */
static inline void plan_target_init(
	struct plan_target *target, const char *path, int fd, const struct start_arguments *arguments)
{
	struct shim_text text = shim_text(target->path, sizeof(target->path));

	target->fd = fd;
	target->may_act = SHIM_NOT_ASKED;
	target->arguments = arguments;
	target->linked = false;
	if (path)
		shim_text_add(&text, path);
	if (text.overflow)
		target->path[0] = '\0';
}

struct plan {
	int fd;
	uint32_t wait_ms; /* how long the program waits for it to be carried out; 0: not at all */
	bool cold;        /* some of its pages are not resident */
	bool leads; /* starts with other arguments may have plans of their own; it is for those that have none */
};

/* Whether the program has a trusted plan for this start or for any. If so, the caller owns ret->fd. */
bool plan_find(struct plan_target *target, struct plan *ret);

/* The same, but takes the given path for canonical unless a sign says otherwise: two opens at most where there is no
 * plan. */
bool plan_find_by_given(struct plan_target *target, struct plan *ret);
