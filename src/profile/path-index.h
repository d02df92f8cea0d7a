/* SPDX-License-Identifier: MIT */
/* Finds a file of a profile by its path: a hash table of places in profile.files, brought up to date at each lookup. */
#pragma once

#include <sys/types.h>

#include "profile/profile.h"

void path_index_free(struct path_index *index);

/* *ret_found is the place of the file in profile->files, or -1. Returns 0 or -ENOMEM. */
int path_index_find(struct profile *profile, const char *path, ssize_t *ret_found);
