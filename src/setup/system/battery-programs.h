/* SPDX-License-Identifier: MIT */
/* What the self-test runs: one command of each kind that a preloaded library is known to break. */
#pragma once

#include <stdbool.h>

#define BATTERY_ARGUMENTS 10

struct battery_program {
	const char *argv[BATTERY_ARGUMENTS]; /* argv[0]: searched in SEARCH_DEFAULT unless it is a path */
	bool as_nobody; /* setuid programs: run by root they would not be set to another user */
};

/* Ends with an argv[0] of NULL. What is not installed is left out. */
extern const struct battery_program battery_programs[];
