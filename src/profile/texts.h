/* SPDX-License-Identifier: MIT */
/* The texts of a profile, in the order that they have on disk. */
#pragma once

#include "profile/profile.h"

#define PROFILE_TEXTS 8

static inline char **profile_text(const struct profile *profile, size_t i)
{
	static const size_t places[PROFILE_TEXTS] = {
		offsetof(struct profile, command),
		offsetof(struct profile, program),
		offsetof(struct profile, kernel),
		offsetof(struct profile, device),
		offsetof(struct profile, milestone),
		offsetof(struct profile, folder),
		offsetof(struct profile, rule),
		offsetof(struct profile, asked_path),
	};

	return (char **)((char *)profile + places[i]);
}
