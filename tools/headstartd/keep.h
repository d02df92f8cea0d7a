/* SPDX-License-Identifier: MIT */
/*
 * Keeps what a start touched, beside what `headstart record` keeps, so that `list`, `show`, `forget` and `plan` know it.
 * The profile says what another user did, and is for root alone to read. The plan serves everybody, and names only files
 * that only root can change.
 */
#pragma once

#include <stdint.h>

#include "profile/profile.h"

/*
 * Adds the profile to the program's stored ones, unless the start is recorded already, and makes the plans. `argv` is of the
 * start, and `folder` an open descriptor of its working folder, or AT_FDCWD. Returns how many bytes are kept; 0: nothing, because there is nothing to read for everybody, or for an error.
 */
uint64_t keep_start(struct profile *profile, const char *const *argv, int folder);

/* Removes the program's profile and plans, unless somebody has recorded it. */
void keep_forget(const char *program);
