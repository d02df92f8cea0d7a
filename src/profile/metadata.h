/* SPDX-License-Identifier: MIT */
/*
 * The metadata that starts touched: inode tables, folders and extent trees, which file systems read through the page
 * cache of their disk. A profile has it by file system. It says where blocks lay when the start was recorded, and is
 * never more than a hint.
 */
#pragma once

#include "profile/profile.h"

/*
 * Adds pages of the disk of a file system, unless there are too many file systems. profile_finish() puts them into order.
 * Returns 0 or -ENOMEM.
 */
int profile_add_metadata(struct profile *profile, uint64_t file_system, struct profile_block_range range);

/* Adds all that `from` has. Returns 0 or -ENOMEM. */
int profile_add_metadata_of(struct profile *profile, const struct profile *from);

/* Sorts file systems and ranges, and joins ranges that overlap or touch. */
void profile_sort_metadata(struct profile *profile);

/* Leaves what `with` has as well. Both must be sorted. Returns 0, or -ENOMEM with `profile` as it was. */
int profile_keep_common_metadata(struct profile *profile, const struct profile *with);

/* Whether all that profile.h says of it is true. */
bool profile_metadata_good(const struct profile *profile);

/* Pages of all file systems. */
uint64_t profile_metadata_pages(const struct profile *profile);

void profile_release_metadata(struct profile *profile);
