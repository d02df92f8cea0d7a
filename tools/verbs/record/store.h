/* SPDX-License-Identifier: MIT */
/* The stored recordings of a program, to which `headstart record` adds one. */
#pragma once

#include "verbs/record/job.h"

/*
 * Adds the recording to the stored ones of its program: in the place of that of the same start, or merged with it, or
 * beside the others. `for_user`: it says what another user did, so it is for root alone. Returns 0, or an exit status
 * after printing the reason. *ret, malloc()ed, is the path of the profile.
 */
int record_store(struct profile *profile, const struct record_job *job, bool for_user, char **ret);

/*
 * The mode of a profile that is stored at `path`. Root's profile with a recording of another user says what that user does, so it is for root
 * alone; so is one that tells something of files that not everybody may read. That of an ordinary user is for that user.
 */
mode_t record_store_mode(const char *path, const struct profile *profile, bool for_user);
