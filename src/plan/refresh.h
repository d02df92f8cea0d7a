/* SPDX-License-Identifier: MIT */
/*
 * Compiles a profile in the store anew: after a recording, when settings change, and when the plan is missing or stale.
 */
#pragma once

#include "plan/build/build.h"

/*
 * Builds the plan of `program` (a canonical path) from its profile in the store, with these options, and publishes it
 * in the store. It is the caller's turn (plan/store/lock.h). Returns 0, -ENOENT (no profile), -EBADMSG (the profile cannot be
 * used: profile_load() returns the reason), -ENODATA (nothing to read on this machine; *ret_summary is filled in all the
 * same), or negative errno.
 */
int plan_refresh(const char *program, const struct plan_options *options, struct plan_summary *ret_summary);
