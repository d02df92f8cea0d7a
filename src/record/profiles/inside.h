/* SPDX-License-Identifier: MIT */
/*
 * The profile of what was started in a mount namespace of its own, by the names that files have there: for a start from
 * inside.
 */
#pragma once

#include "record/events/trace.h"
#include "record/names/opens.h"

struct inside_options {
	const struct mounts *here; /* the mounts of our own namespace */
	bool added_is_touch;       /* as assemble() has it */
	/* Runs in a child process inside the namespace. Returns an exit status. */
	int (*work)(void *context, struct profile *profile);
	void *context;
};

/*
 * Forks a child, which enters the namespace of the view, makes the profile there, and calls work(). The profile begins
 * with the first program that has another file in our own namespace, or none. `description` gives it all that is said
 * of the recording. Does nothing unless the view is trusted. The child works on copies of the lists. Returns the exit
 * status; -ENOENT if no program was started inside alone; or negative errno: -ETIME, -EINTR if a signal ended the
 * child.
 */
int inside_run(struct view *view, struct record_trace *trace, const struct profile *description,
	const struct inside_options *options);
