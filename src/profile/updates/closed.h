/* SPDX-License-Identifier: MIT */
/*
 * What a profile tells of the content of files: their landmarks and their called functions. Root reads all files, and records
 * programs that others may execute but not read. So these parts of a profile are for those alone who may read the file. Its
 * pages, its size and its build-id are for everybody.
 */
#pragma once

#include "profile/profile.h"

/* Whether everybody may read all files of whose content the profile tells. */
bool profile_tells_everybody(const struct profile *profile);

/* The places that profile_find_closed() fills in: one for each file, then one for each object with functions. */
size_t profile_closed_places(const struct profile *profile);

/* Sets the places of files to 1 of which the profile tells something, and which this process may not read. */
void profile_find_closed(const struct profile *profile, uint8_t *closed);

/* Takes out what it tells of the files whose places are 1. Returns 0; or -ENOMEM, and it may still tell something. */
int profile_forget_closed(struct profile *profile, const uint8_t *closed);
