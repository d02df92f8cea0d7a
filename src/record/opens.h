/* SPDX-License-Identifier: MIT */
/* Which files are opened, under which names: fanotify on every mounted disk file system. */
#pragma once

#include <stdbool.h>

#include "record/inode-map.h"
#include "record/mounts.h"
#include "record/trace.h"

struct opens {
	int fd;                      /* fanotify; -1 where the kernel refuses it */
	const struct mounts *mounts; /* borrowed */
	struct inode_map known;      /* (st_dev, inode) to the index in files */
	struct record_files files;
	bool everybody;        /* processes cannot be told by number: all but us count as the command's */
	struct inode_map tree; /* pids of the command's tree, as inodes */
	size_t n_pids_seen;    /* of trace->pids */
};

#define OPENS_INIT                                                                                           \
	{                                                                                                    \
		.fd = -1                                                                                     \
	}

/* Marks the file systems. -EPERM and the like: without fanotify, opens->fd stays -1. */
int opens_start(struct opens *opens, const struct mounts *mounts);

/* Takes what was opened until now. `trace` has the processes of the tree; it must have been drained just before. */
int opens_drain(struct opens *opens, const struct record_trace *trace);
void opens_release(struct opens *opens);
