/* SPDX-License-Identifier: MIT */
/* What `headstart snapshot` was asked to do, for all its files. */
#pragma once

#include <stdbool.h>

#include "plan/build/build.h"
#include "snapshot/snapshot.h"

struct snapshot_request {
	const char *output;
	char *const *paths; /* ends with NULL; without --command */
	char *const *argv;  /* ends with NULL; with --command */
	bool command, json;
};

/*
 * Takes what is in memory of these files and folders, or, if there are none, of all disks. *ret is finished. Returns 0, or
 * an exit status after printing the reason.
 */
int snapshot_take(char *const *paths, struct snapshot *ret);

/*
 * Runs a command, and takes what it touches. *ret is finished. Returns 0, or an exit status after the reason is printed:
 * that of `headstart record` if it fails.
 */
int snapshot_take_command(char *const *argv, struct snapshot *ret);

/* Says what is not in the snapshot, and why. */
void snapshot_note_left_out(const struct snapshot *snapshot, const struct plan_summary *summary);
