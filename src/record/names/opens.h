/* SPDX-License-Identifier: MIT */
/*
 * Finds out which files are opened, under which names, with fanotify on every mounted disk file system: those of our own
 * mount namespace, and those that recorded programs mount in others.
 */
#pragma once

#include <stdbool.h>

#include "base/inode-map.h"
#include "record/events/trace.h"
#include "record/names/mounts.h"
#include "record/names/views.h"

struct opens {
	int fd;                      /* fanotify; -1 where the kernel refuses it */
	const struct mounts *mounts; /* borrowed */
	struct inode_map known;      /* (st_dev, inode) to the index in files */
	struct record_files files;
	struct views views;
	struct inode_map marked;  /* (device, 0) of the file systems that are marked */
	struct inode_map unnamed; /* (device, inode) of opened files without a name in our namespace */
	struct inode_map missed;  /* (0, id) of the mounts that no process of the tree had, */
	uint64_t missed_since;    /* since this monotonic_ns() */
	bool bounded; /* set before opens_start(): what waits in the kernel, and what is noted, takes only so much memory */
	bool lost;    /* some was left out for that, or could not be opened */
	bool dropped; /* by the kernel, since there were too many: files that others have opened have no name */
	/*
	 * Set before opens_start(): nothing is asked of a server, and no path that others than root can change is looked at. Of the
	 * files that have such a path only those of `owner` are kept (0: none), as the kernel names them: record_file.own.
	 */
	bool careful;
	/*
	 * Set before opens_start(): file systems of servers are left alone, except those of / and /usr, and so is what is mounted in /run. Names are
	 * looked up in the kernel's cache alone.
	 */
	bool local;
	uid_t owner;
	size_t n_own;   /* of these; OPENS_OWN_MAX at most */
	bool everybody; /* all but us count as the command's */
	/*
	 * In a PID namespace of our own the kernel's events have other numbers of processes than we: the command's are those below us, but for
	 * what process_tree_is_other().
	 */
	bool by_parents;
	bool keeps_no_views; /* names in other namespaces are not noted, and none is held when its process has ended */
	int32_t ignored;       /* what this process opens does not count; 0: everybody's does */
	struct inode_map tree; /* pids of the command's tree, as inodes; ours */
	size_t n_pids_seen;    /* of trace->pids */
	size_t noted;          /* bytes that all files take, those of views included */
};

#define OPENS_OWN_MAX 16384

#define OPENS_INIT                                                                                           \
	{                                                                                                    \
		.fd = -1                                                                                     \
	}

/* Marks the file systems. Without fanotify (-EPERM and the like) opens->fd stays -1. */
int opens_start(struct opens *opens, const struct mounts *mounts);

/* Something was mounted: reads `mounts`, which opens->mounts is, anew, and marks their file systems. Returns 0 or -ENOMEM. */
int opens_mark_again(struct opens *opens, struct mounts *mounts);

/* Notes openings of others alone, with opens_add(): without fanotify, and all count as the command's. */
void opens_start_empty(struct opens *opens, const struct mounts *mounts);

/* What the events of a file name it by. */
struct opens_key {
	uint32_t device; /* as in struct record_file */
	uint64_t inode;
};

/*
 * Adds the open file, which may be open with O_PATH, as one that this process opened while no event was to be had.
 * *ret_key, unless `ret_key` is NULL, is of use for regular files. Returns 0 or -ENOMEM.
 */
int opens_add(struct opens *opens, int fd, int32_t pid, struct opens_key *ret_key);

/*
 * Whether the open file of this process lies on a mounted disk file system: of our own mount namespace, or of that of the
 * process. Returns 1, 0 or -ENOMEM.
 */
int opens_on_disk(struct opens *opens, int fd, int32_t pid);

/*
 * Whether asking anything of the open file of this process may wait for a process that has begun to serve a file system
 * (FUSE) since opens_start(): it lies on one that was mounted later, and is such a one or is made of others.
 */
bool opens_may_wait(struct opens *opens, int fd, int32_t pid);

/* Takes openings, the oldest first, but not all if there are many. `trace` has the processes of the tree and must have been drained just before. */
int opens_drain(struct opens *opens, const struct record_trace *trace);

/*
 * For whoever watches without end: of more than `most` files with a name, or if little may be noted any more, forgets the half
 * that was opened longest ago; of more without a name, all. Files change their places in opens->files. Returns 0 or -ENOMEM.
 */
int opens_forget(struct opens *opens, size_t most);
#define OPENS_PLENTY    262144      /* files */
#define OPENS_NOTED_MAX (64u << 20) /* bytes of files, with their names; then no more are noted */

/* Takes all openings up to now, and no later ones. `trace` is complete. */
int opens_end(struct opens *opens, const struct record_trace *trace);
void opens_release(struct opens *opens);
