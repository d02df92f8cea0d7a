/* SPDX-License-Identifier: MIT */
/* Finds the file of a profile that an ELF file is, though it may be stripped or lie elsewhere by now. */
#pragma once

#include <stddef.h>

#include "profile/profile.h"

enum order_match {
	ORDER_MATCH_SAME,    /* it is that file */
	ORDER_MATCH_UNKNOWN, /* the profile has no such file */
	ORDER_MATCH_STALE,   /* it has a file of that path or name, but of another build */
};

/*
 * A file with a build-id matches the file with the same build-id: stripped or not, it has the same code. Otherwise it
 * matches the file with its path, else the one with its name (the last part), and is the same if neither has a build-id
 * and their sizes agree. *ret_file is the place in profile->files, for SAME and STALE. `found` is filled in from the
 * file at path. Returns 0 or negative errno.
 */
int order_match(const struct profile *profile, const char *path, struct profile_file *found,
	enum order_match *ret_match, size_t *ret_file);

/* The first regular file of the profile whose name is the last part of an absolute path, or NULL. */
const struct profile_file *order_match_name(const struct profile *profile, const char *path);
