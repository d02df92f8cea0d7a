/* SPDX-License-Identifier: MIT */
/* Finds out which files are opened, under which names, with fanotify on every mounted disk file system. */
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
	bool everybody; /* processes cannot be told apart by number: all but us count as the command's */
	struct inode_map tree; /* pids of the command's tree, as inodes */
	size_t n_pids_seen;    /* of trace->pids */
};

#define OPENS_INIT                                                                                           \
	{                                                                                                    \
		.fd = -1                                                                                     \
	}

/* Marks the file systems. Without fanotify (-EPERM and the like) opens->fd stays -1. */
int opens_start(struct opens *opens, const struct mounts *mounts);

/* Takes the openings so far. `trace` has the processes of the tree and must have been drained just before. */
int opens_drain(struct opens *opens, const struct record_trace *trace);
void opens_release(struct opens *opens);
