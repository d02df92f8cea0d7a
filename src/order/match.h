/* SPDX-License-Identifier: MIT */
/* Which file of a profile an ELF file is: perhaps stripped since, perhaps elsewhere. */
#pragma once

#include <stddef.h>

#include "profile/profile.h"

enum order_match {
	ORDER_MATCH_SAME,    /* it is that file */
	ORDER_MATCH_UNKNOWN, /* the profile has no such file */
	ORDER_MATCH_STALE,   /* it has one of that path or name, but another build of it */
};

/*
 * A file with a build-id is that of the same build-id; stripped or not it has the same code. Otherwise it is
 * the one of its path, else of its name (the last part), and the same if neither has a build-id and they are
 * of one size. *ret_file is the place in profile->files, for SAME and STALE. `found` is filled with what the
 * file at path is. Returns 0 or negative errno.
 */
int order_match(const struct profile *profile, const char *path, struct profile_file *found,
	enum order_match *ret_match, size_t *ret_file);

/* The first regular file of the profile that has the last part of an absolute path, or NULL. */
const struct profile_file *order_match_name(const struct profile *profile, const char *path);
