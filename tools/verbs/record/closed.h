/* SPDX-License-Identifier: MIT */
/* A user's recording tells nothing of the content of files that the user may not read (profile/updates/closed.h). */
#pragma once

#include "profile/profile.h"

/*
 * Takes out what this user may not read, as a process that becomes the user finds out; if that fails, all that it did not come to.
 * `user` NULL: what this process may not read, quietly. Says which functions these were, unless `quiet`. Returns 0 or negative errno.
 */
int record_forget_closed(struct profile *profile, const char *user, bool quiet);
