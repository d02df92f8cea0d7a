/* SPDX-License-Identifier: MIT */
/*
 * What a recording changes on the machine, and how that is restored whatever happens: read_ahead_kb of the devices
 * concerned, and the ftrace instance. A guard process is forked, in a session of its own, before anything is changed.
 * It waits for the recorder to let go or to die (SIGKILL included), and restores everything.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/texts/read-ahead-note.h"
#include "record/names/mounts.h"

struct restore {
	int tracefs; /* owned; locked, so that one recording runs at a time on the machine */
	int sysfs;   /* owned; -1 where there is none */
	char instance[64];
	struct read_ahead *devices; /* owned; those whose read-ahead will be switched off */
	size_t n_devices, devices_capacity;
	int guard; /* owned; our end of a socket to the guard, -1 without one */
	pid_t guard_pid;
	int note;           /* owned; holds the lock on the note of what was before; -1 without a note */
	bool read_ahead_on; /* read-ahead of some device could not be switched off */
};

#define RESTORE_INIT                                                                                         \
	{                                                                                                    \
		.tracefs = -1, .sysfs = -1, .guard = -1, .note = -1                                          \
	}

/*
 * Opens tracefs and sysfs, and restores what a recorder has left that was killed together with its guard. -EBUSY:
 * somebody else is recording.
 */
int restore_init(struct restore *restore);

/* Chooses the devices under the mounted file systems; all devices if an overlayfs hides what lies below it. */
int restore_choose_devices(struct restore *restore, const struct mounts *mounts);

/* Starts the guard, then switches read-ahead off on the chosen devices. */
int restore_begin(struct restore *restore);

/* Restores everything. Close everything that uses the instance first. Returns 0 or negative errno. */
int restore_end(struct restore *restore);

/* Calls restore_end() if that has not happened yet. */
void restore_release(struct restore *restore);
