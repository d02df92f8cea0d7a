/* SPDX-License-Identifier: MIT */
/* A user's recording tells nothing of the content of files that the user may not read (profile/updates/closed.h). */
#pragma once

#include "profile/profile.h"

/*
 * Takes out what this user may not read, as a process that becomes the user finds out, and says which functions these were;
 * NULL: what this process may not read, and says nothing. Returns 0 or negative errno.
 */
int record_forget_closed(struct profile *profile, const char *user);
