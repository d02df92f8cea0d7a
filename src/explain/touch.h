/* SPDX-License-Identifier: MIT */
/* What a profile says of a file and of a page. */
#pragma once

#include "profile/profile.h"

/* The file of that path, or else the first one whose name is the last part of a path; NULL if there is none. */
const struct profile_file *explain_find_file(const struct profile *profile, const char *name);

/* The range that has the page, or NULL. */
const struct profile_range *explain_find_range(const struct profile_file *file, uint64_t page);

/* The program that was executed last before a touch. The profile does not know which of the running processes touched. */
const struct profile_exec *explain_find_exec(const struct profile *profile, uint32_t order);
