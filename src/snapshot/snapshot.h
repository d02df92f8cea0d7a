/* SPDX-License-Identifier: MIT */
/*
 * What is in memory of folders and files, as a profile: pages of files, and names. The kernel keeps in memory which name
 * leads to which inode (the dentry cache). A command that only looks at files, as `git diff` does, needs nothing else,
 * and from a cold cache waits for that alone.
 *
 * openat2(RESOLVE_CACHED) tells what is in the dentry cache, without a read of the disk (Linux 5.12), and mincore(2) tells
 * which pages are resident. A name that is not in memory is left out with all that lies below it: no inode is read for a
 * snapshot, but folders are listed.
 *
 * Some file systems (FUSE, network) and older kernels do not answer the first question. There every file is looked at, and
 * those are taken of which pages are resident, and the folders that lead to them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/profile.h"

/* A file that has several names. */
struct snapshot_link {
	dev_t device;
	ino_t inode;
	size_t file; /* index in profile.files */
};

struct snapshot {
	struct profile profile; /* owned; complete after snapshot_finish() */
	bool names_only;        /* the caller's wish: take names, and no pages */
	uint32_t touches;       /* orders given out so far */
	size_t hidden; /* files of which the kernel tells only the owner and root what is in memory; left out */
	size_t unreadable; /* files and folders that this user may not read; left out */
	size_t silent; /* disks that snapshot_add_disks() left out: they do not tell which names are in memory */
	size_t dropped;              /* files and folders beyond the most that were wanted */
	struct snapshot_link *links; /* owned */
	size_t n_links, links_capacity;
};

void snapshot_release(struct snapshot *snapshot);

static inline void snapshot_releasep(struct snapshot *snapshot)
{
	snapshot_release(snapshot);
}

/*
 * Adds a file, or a folder with all that lies below it on the same file system. The path is absolute and canonical.
 * Returns 0; -EINVAL if it is neither; -EACCES; -EFBIG if there are 2^32 pages and names; or negative errno.
 */
int snapshot_add(struct snapshot *snapshot, const char *path);

/*
 * Adds the file systems of all disks that are mounted, each once. Those that do not tell which names are in memory are
 * left out, because all of their files would have to be looked at. `mountinfo` is "/proc/self/mountinfo"; tests bring
 * their own.
 */
int snapshot_add_disks(struct snapshot *snapshot, const char *mountinfo);

/*
 * Leaves of `after` what was not in memory in `before`, neither of which is finished, and adds the folders that lead to it.
 * The index of `before` may change, and nothing else of it. Returns 0, -EFBIG or -ENOMEM.
 */
int snapshot_subtract(struct snapshot *after, struct snapshot *before);

/* Adds the names of another snapshot, which is not finished and stays as it is. Returns 0, -EFBIG or -ENOMEM. */
int snapshot_add_names(struct snapshot *snapshot, const struct snapshot *names);

/*
 * Completes the profile. Its program is `subject`, an absolute path, and its command the text, which may be "". Of more
 * than `files_max` files and folders it keeps first those with pages, then folders and links. A file with several names
 * keeps its pages under the first. Returns 0, -ENODATA if there is nothing at all, or negative errno.
 */
int snapshot_finish(struct snapshot *snapshot, const char *subject, const char *command, size_t files_max);
