/* SPDX-License-Identifier: MIT */
/* What is said of a recording besides what it touched. */
#pragma once

#include "profile/profile.h"

/*
 * Sets the command (its arguments joined by blanks; `argv` may be NULL), program, milestone, kernel, time, page size, backend and
 * number of runs of a new profile, which owns copies. Returns 0, -ENOMEM, or negative errno of uname(2).
 */
int record_describe(
	struct profile *profile, const char *const *argv, const char *program, const char *milestone);
