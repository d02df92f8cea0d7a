/* SPDX-License-Identifier: MIT */
/*
 * What a recording changes on the machine, and putting it back whatever happens: read_ahead_kb of the devices
 * concerned, and the ftrace instance. A guard process, forked before anything is changed and in a session of its own,
 * waits for the recorder to let go or to die (SIGKILL included), and puts everything back.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "record/mounts.h"

struct read_ahead {
	char bdi[64]; /* name under /sys/class/bdi */
	unsigned kib; /* what it was */
};

struct restore {
	int tracefs; /* owned; locked, so that there is one recording at a time on the machine */
	int sysfs;   /* owned; -1 where there is none */
	char instance[64];
	struct read_ahead *devices; /* owned; those whose read-ahead is to be switched off */
	size_t n_devices, devices_capacity;
	int guard; /* owned; our end of a socket to the guard, -1 without one */
	pid_t guard_pid;
	bool read_ahead_on; /* some device refused to be switched off */
};

#define RESTORE_INIT                                                                                         \
	{                                                                                                    \
		.tracefs = -1, .sysfs = -1, .guard = -1                                                      \
	}

/* Opens tracefs and sysfs. -EBUSY: somebody else is recording. */
int restore_init(struct restore *restore);

/* Chooses the devices under the mounted file systems; all there are where an overlayfs hides what lies below it. */
int restore_choose_devices(struct restore *restore, const struct mounts *mounts);

/* Starts the guard, then switches read-ahead off on the chosen devices. */
int restore_begin(struct restore *restore);

/* Puts everything back. Everything that uses the instance must be closed. Returns 0 or negative errno. */
int restore_end(struct restore *restore);

/* Does restore_end() where it is still due. */
void restore_release(struct restore *restore);
