/* SPDX-License-Identifier: MIT */
/* The profile that the user gave a verb. */
#pragma once

#include "profile/recordings/recordings.h"

/*
 * Reads a profile, which the caller releases: all its recordings merged, or each of them. `name` is its file or its program
 * (input_path()). Returns 0, or an exit status after printing the reason.
 */
int input_profile(const char *name, struct profile *ret);
int input_recordings(const char *name, struct recordings *ret);
