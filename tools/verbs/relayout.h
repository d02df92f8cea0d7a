/* SPDX-License-Identifier: MIT */
/* What the parts of 'headstart relayout' share: the command line and what it leads to. */
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
	size_t jobs; /* 0: as there are processors */

	/* What it leads to. */
	struct profile profile;
	char *shadow_folder; /* owned; absolute */
	bool listed;         /* the files were named by the user */
	struct relayout_batch batch;
};

/* Makes places for the copies of --shadow; and writes what mounts them. Return 0, or an exit status with the reason said. */
int relayout_shadow_begin(struct relayout_run *run);
int relayout_shadow_finish(const struct relayout_run *run);

/* Prints the outcome. Returns the exit status. */
int relayout_report(const struct relayout_run *run);
