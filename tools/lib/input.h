/* SPDX-License-Identifier: MIT */
/* The profile that the user gave a verb. */
#pragma once

#include "profile/profile.h"

/*
 * Reads a profile, which the caller releases; `name` is its file or its program (input_path()). Returns 0, or an exit
 * status after printing the reason.
 */
int input_profile(const char *name, struct profile *ret);
