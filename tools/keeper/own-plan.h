/* SPDX-License-Identifier: MIT */
/* Carries out this user's own plan of a start that has just begun. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What headstartd says of a start. */
struct own_start {
	int32_t pid;          /* its process */
	const char *program;  /* borrowed: canonical */
	const char *executed; /* borrowed: as passed to execve(2) */
};

/*
 * Returns 0; -ENOENT if the user has no plan of the program; or negative errno. *ret_begin says whether the plan is now to be carried out, by
 * prefetcher_become(): the settings allow it, pages are missing, and no other prefetcher is at work on it.
 */
int own_plan_prepare(const struct own_start *start, bool *ret_begin);
