/* SPDX-License-Identifier: MIT */
/* Whether the files on disk are still those that were recorded. */
#pragma once

#include "profile/profile.h"

/*
 * Fills size, mtime and (for ELF files) build_id from the file on disk, which must be of the same kind (else
 * -EINVAL).
 */
int profile_file_identify(struct profile_file *file);

enum profile_staleness {
	PROFILE_FRESH = 0,
	PROFILE_GONE,    /* no such file, or a file of another kind */
	PROFILE_CHANGED, /* another build-id or size; without build-id, another size or time */
};

/*
 * Whether the file on disk is still the recorded one. Files with a build-id are compared by build-id and size alone, so
 * that a profile travels between machines. Others are compared by size and, on the `same_machine`, by time. A folder or
 * a link is fresh as long as it is of that kind.
 */
enum profile_staleness profile_file_staleness(const struct profile_file *file, int same_machine);
