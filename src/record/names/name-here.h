/* SPDX-License-Identifier: MIT */
/*
 * Names in our own mount namespace of files that were opened in another one. A name counts only if it leads to the very file that
 * was opened.
 */
#pragma once

#include <stdbool.h>

#include "record/names/mounts.h"

struct statx;

/*
 * The name of the file that is `path` in a namespace where it lies on the mount `there`: where we have mounted the same file system.
 * It leads to the same file as `status`; if only `cached` names count, nothing is waited for to find that out. NULL: there is none, or
 * no memory.
 */
char *name_here_by_mount(const struct mounts *here, const struct mount *there, const char *path,
	const struct statx *status, bool cached);

/*
 * The same if nothing is known of the mount, because its namespace has ended with its last process: then the kernel names the file by
 * its path below the mount, which may be all of a file system that we have mounted. *ret_mount is ours.
 */
char *name_here_below_mount(const struct mounts *here, const char *path, const struct statx *status,
	bool cached, const struct mount **ret_mount);

/* Whether what a name led to is what it leads to now: the same inode number, size, kind and times. Only what is cached counts. */
bool name_here_still_leads_to(const char *name, const struct statx *status);

/*
 * The name of a file of the overlay `there`, which only another namespace has mounted: in the lower layer that the file comes from, whose
 * pages are the ones that are cached. *ret_named is what is there. Whoever has mounted the overlay chose which folders these are, so this is
 * only for mounts of privileged processes. NULL: the file is in the upper layer, or the layers lie on several file systems and the overlay
 * numbers inodes in its own way (xino); no openat2(2); or no memory.
 */
char *name_here_in_layer(const struct mount *there, const char *path, const struct statx *status, bool cached,
	struct statx *ret_named);
