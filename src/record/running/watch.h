/* SPDX-License-Identifier: MIT */
/*
 * Traces a start that has just begun, and changes nothing for it: the page cache and read-ahead stay as they are. What
 * the start touched in the moment before is taken from its page tables.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"
#include "record/events/tracer.h"

struct watch_options {
	int32_t pid;             /* of the program, in the first pid namespace; so must we be */
	const char *program;     /* canonical path */
	const char *const *argv; /* for people: profile.command */
	double idle,
		timeout; /* seconds: ends when nothing new was touched for so long, and nobody waits for a disk; always */
	bool no_landmarks; /* in the profile: they cost some reading */
	uid_t user; /* whose start it is, if that user's own files are wanted as well; 0: they are not */
};

struct watch_result {
	struct profile
		profile; /* only what nobody but root can change, and everybody can see if they can reach the program; no arguments, device or key */
	/*
	 * Of the same start, only the user's own files, of which nobody has looked at the paths: they are what the kernel said, and have
	 * neither sizes nor times. Pages that are unsure (struct profile_doubt) may not even be in memory.
	 */
	struct profile own;
	uint64_t bytes_added; /* that entered the page cache on behalf of the start */
	uint32_t found; /* what has a lower order was touched before we looked, and some of it was not seen */
};

void watch_result_release(struct watch_result *result);

/*
 * Follows the start to its end, with a tracer that nobody else uses and that is of no use afterwards. Returns 0 or negative
 * errno: -ESRCH if the process has ended, -EOPNOTSUPP without fanotify.
 */
int watch_run(struct tracer *tracer, const struct watch_options *options, struct watch_result *ret);
