/* SPDX-License-Identifier: MIT */
/* Plan mode: the plan of a program that is starting or about to be started, and whether it is worth carrying
 * out. */
#pragma once

#include "shim.h"

#include "format/plan.h"

/* The program in question: the one we are loaded into, or one that it starts. */
struct plan_target {
	int fd; /* open on it with O_PATH; -1: not opened */
	enum shim_answer may_act;
	bool linked; /* a folder of plans has the sign that the path is a link to a planned program */
	/* As it is given to the kernel, "" if only the descriptor is known; without symbolic links, as the tools see it, once
	 * plan_find() has found a plan. */
	char path[SHIM_PATH_MAX];
};

/* A path that is too long counts as not known. */
static inline void plan_target_init(struct plan_target *target, const char *path, int fd)
{
	struct shim_text text = shim_text(target->path, sizeof(target->path));

	target->fd = fd;
	target->may_act = SHIM_NOT_ASKED;
	target->linked = false;
	if (path)
		shim_text_add(&text, path);
	if (text.overflow)
		target->path[0] = '\0';
}

struct plan {
	int fd;
	enum plan_order order;
	bool cold;     /* pages of it are not there */
	bool by_given; /* the program, once it is executed, finds it too: plan_find_by_given() does */
};

/* Whether there is a plan of the program that may be trusted. If so, ret->fd is the caller's. */
bool plan_find(struct plan_target *target, struct plan *ret);

/* The same, but the path as given is taken for one without links unless there is a sign that it has some: two opens at
 * most where there is no plan. */
bool plan_find_by_given(struct plan_target *target, struct plan *ret);
