/* SPDX-License-Identifier: MIT */
/* How many pages of a file a start touched in every run, and how many in one run alone. */
#pragma once

#include "profile/profile.h"

/* Without a file all are 0. */
struct profile_share {
	uint64_t pages;
	uint64_t every_run; /* of them, those that every run touched */
	uint64_t one_run;   /* those that one run of several touched */
};

/* `file` may be NULL; `runs` is that of its profile. */
struct profile_share profile_share_of(const struct profile_file *file, uint32_t runs);
