/* SPDX-License-Identifier: MIT */
/* bench/micro-spawn: its arms and their measurements. */
#pragma once

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>

#include "sample.h"

struct spawn_arm {
	char *name;         /* owned: followed by the words that argv and environment point into */
	char **argv;        /* owned, NULL-terminated: the prefix, then the command */
	char **environment; /* owned, NULL-terminated: ours without LD_AUDIT and HEADSTART…, then the arm's */
	double *us; /* owned: microseconds from posix_spawn to the end of waitpid, one for each round */
	/* Filled by spawn_arm_summarize(). */
	double least, median;
	struct interval interval;
	double more; /* median above the first arm's */
	struct interval more_interval;
	int different; /* the intervals of the two medians don't overlap */
};

/*
 * Parses "NAME:WORDS" (separated by blanks: VARIABLE=VALUE…, then arguments that stand before the command) for a
 * command that is measured `rounds` times. Returns 0, -EINVAL, or -ENOMEM. The caller releases *ret.
 */
int spawn_arm_init(struct spawn_arm *ret, const char *text, char *const *command, size_t rounds);
void spawn_arm_release(struct spawn_arm *arm);

/* Spawns the command once and waits for it. Returns 0 and the exit status (a signal: 128 + its number), or negative
 * errno. */
int spawn_arm_run(const struct spawn_arm *arm, double *ret_us, int *ret_status);

/* Computes medians, intervals, and the difference to `first`. Returns 0 or -ENOMEM. */
int spawn_arm_summarize(struct spawn_arm *arm, const struct spawn_arm *first, size_t rounds, uint64_t seed);

void spawn_print_table(const struct spawn_arm *arms, size_t n_arms, size_t rounds);
/* Adds the arms to the object under "arms". */
void spawn_add_json(struct json_object *object, const struct spawn_arm *arms, size_t n_arms, size_t rounds);
