/* SPDX-License-Identifier: MIT */
/*
 * The recordings of the last boots, and the plan that is made of all of them. What none of these boots has touched any more
 * leaves the plan, where the kernel tells it (PROFILE_BIAS_READAHEAD: it does not), but for metadata of file systems.
 */
#pragma once

#include <stdbool.h>

#include "plan/build/build.h"
#include "profile/recordings/recordings.h"

#define BOOT_RECORDINGS 4u

struct boot_kept {
	size_t recordings; /* that are kept now */
	bool damaged; /* what was kept before could not be read, or was no boot's: this is the only recording now */
	struct plan_summary summary;
};

/*
 * Adds a recording, which is taken over, to the profile at that path, and leaves the last ones; only the new one if `anew`.
 * Both are written for root alone, in one step each. Returns 0; -EPERM if somebody else can write to the profile; -EPROTO
 * if a newer headstart has written it; -ENODATA if there is nothing to read on this machine; or negative errno, and
 * the plan is as it was.
 */
int boot_keep(struct profile *recording, bool anew, const char *profile_path, const char *plan_path,
	const struct plan_options *options, struct boot_kept *ret);

/*
 * Makes the plan anew of the recordings in the profile at that path. Returns 0; -ENOENT if there are none; -EBADMSG if they are damaged; or as
 * boot_keep().
 */
int boot_plan_anew(const char *profile_path, const char *plan_path, const struct plan_options *options);
