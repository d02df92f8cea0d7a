/* SPDX-License-Identifier: MIT */
/*
 * What the parts of 'headstart plan' share. Functions return 0, or an exit status after printing the reason, unless their
 * comment says otherwise.
 */
#pragma once

#include <stdbool.h>

#include "plan/build/build.h"
#include "profile/recordings/recordings.h"

struct plan_arguments {
	const char *output;  /* NULL: the store */
	const char *profile; /* a file; NULL: the program's profile in the store */
	const char *program; /* used if profile is NULL */
	const char *at;      /* program at which the plan begins, or NULL */
	bool json;
	bool mark_stale; /* and nothing else */
	struct plan_options options;
};

/* The recordings that are to be compiled, from where --at says; the caller releases them. */
int plan_load_recordings(const struct plan_arguments *arguments, struct recordings *ret);

/* Puts one recording of all in place of the recordings. Returns 0 or negative errno. */
int plan_merge_all(struct recordings *recordings);

/* Prints what the plan of the program, at `path`, has. */
int plan_report(const char *program, const char *path, const struct plan_summary *summary, bool json);

/* Marks this user's plans that name changed files or that an older headstart has made, and prints their paths, also of those that were marked before. */
int plan_mark_plans(void);
