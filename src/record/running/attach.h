/* SPDX-License-Identifier: MIT */
/*
 * Watches what is running already by the kernel's trace events, as root: a process with everything below it, or the whole
 * machine. Changes nothing for it: the page cache and read-ahead stay as they are.
 */
#pragma once

#include "record/record.h"

struct attach_options {
	int32_t top; /* a process, with everything below it, in the first pid namespace, and so must we be; 0: the machine */
	/* What happens from now on is gathered. Returns 0, or negative errno to give up. May be NULL. */
	int (*begun)(void *context);
	record_watcher *watch; /* several times a second */
	void *context;
};

/*
 * Returns 0 when the watcher ends it, or negative errno with *ret_step: -EBUSY if somebody else records or traces. Everything
 * is restored either way.
 */
int attach_run(const struct attach_options *options, enum record_step *ret_step);

/*
 * The same for one process, and without root: by what /proc shows (follow/sampler.h). The trace has events of touched pages
 * alone. -ESRCH: there is no such process. -EACCES: it is another user's, or may not be looked into.
 */
int attach_look(const struct attach_options *options, enum record_step *ret_step);
