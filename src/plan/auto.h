/* SPDX-License-Identifier: MIT */
/* Planning without being asked: after a recording, and when a plan is missing or stale. */
#pragma once

#include "plan/build.h"

/*
 * Builds the plan of `program` (a canonical path) from its profile in the store, with these options, and
 * publishes it in the store. Returns 0, -ENOENT (no profile), -EBADMSG (the profile cannot be used:
 * profile_load() tells why), -ENODATA (nothing to read on this machine; *ret_summary is filled in all the same), or
 * negative errno.
 */
int plan_refresh(const char *program, const struct plan_options *options, struct plan_summary *ret_summary);
