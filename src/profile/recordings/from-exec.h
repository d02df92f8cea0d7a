/* SPDX-License-Identifier: MIT */
/* The part of a recording that one of its programs touched, and those that it started. */
#pragma once

#include "profile/profile.h"

/* The first exec point with that path, or with a path whose last part is `name`. Returns its index, or -ENOENT. */
ssize_t profile_find_exec(const struct profile *profile, const char *name);

/*
 * The part of a profile from exec point `exec` on, as a profile of that program, without earlier touches and functions. *ret is the
 * caller's to release. Returns 0, -EINVAL (no such exec point) or -ENOMEM.
 */
int profile_from_exec(const struct profile *profile, size_t exec, struct profile *ret);
