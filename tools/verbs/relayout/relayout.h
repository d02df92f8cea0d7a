/* SPDX-License-Identifier: MIT */
/* What the parts of 'headstart relayout' share: the command line, and what follows from it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "relayout/batch.h"

struct relayout_run {
	/* The command line; the rest of it is in the batch. */
	const char *profile_path;
	const char *output;
	const char *tree;
	const char *shadow;
	bool in_place, all, json;
	size_t jobs; /* 0: one for each processor */

	/* What follows from the command line. */
	struct profile profile;
	char *profile_file;  /* owned: where it was read, also if the user named its program */
	char *shadow_folder; /* owned; absolute */
	bool listed;         /* the user named the files */
	struct relayout_batch batch;
};

/*
 * Refuses what cannot be mounted safely, and makes folders for the copies of --shadow, unless it is a dry run; writes
 * the files that mount them. Return 0, or an exit status after
 * printing the reason.
 */
int relayout_shadow_begin(struct relayout_run *run);
int relayout_shadow_finish(const struct relayout_run *run);

/* Prints the results. Returns the exit status. */
int relayout_report(const struct relayout_run *run);
