/* SPDX-License-Identifier: MIT */
/* The profile that a verb is told to read. */
#pragma once

#include "profile/profile.h"

/* Reads a profile, the caller's to release. Returns 0, or an exit status with the reason said. */
int input_profile(const char *path, struct profile *ret);
