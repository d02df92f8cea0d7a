/* SPDX-License-Identifier: MIT */
/*
 * What is a user's own is left to processes of that user (headstart-keep). We only know names and pages of the user's files that a start
 * has touched.
 */
#pragma once

#include <stdint.h>

#include "headstartd/look/process.h"
#include "profile/profile.h"

enum own_outcome {
	OWN_NONE = 0, /* no process has begun */
	OWN_ENDED,    /* and has kept nothing, or could not find out whether its user has a plan */
	OWN_WITHOUT,  /* and its user has no plan of the program */
	OWN_HAS,      /* and its user has one */
	OWN_LATE,     /* it was ended before, by itself after too long a time, or by somebody else */
	OWN_STUCK,    /* … and could not be: it waits for a file system */
};

/*
 * Makes of a copy of what root's plan is made of what may be handed over: what everybody's plan has, for how it was recorded and what
 * other starts did is nobody else's business. The start is described as `own` is. Returns 0 or -ENOMEM.
 */
int own_take_public(struct profile *public, const struct profile *own);

/*
 * For a child of the daemon: waits for the process, but not for ever. `public` is what everybody's plan has, and `own` what the start
 * touched of the user's own; `found` as in struct watch_result. The process gets nothing but these two and the connection: no memory,
 * other descriptor or variable of ours.
 */
enum own_outcome own_keep(const struct process_owner *owner, const struct profile *public,
	const struct profile *own, uint32_t found);

/*
 * The same for a process that carries out its user's own plan, of the start that this process is: it was executed by the path `executed`, which
 * led to `program`. Waits until all of that is done.
 */
enum own_outcome own_carry(
	const struct process_owner *owner, int32_t start, const char *program, const char *executed);
