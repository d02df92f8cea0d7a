/* SPDX-License-Identifier: MIT */
/* What the self-test runs: one command of each kind that a preloaded library is known to break. */
#pragma once

#include <stdbool.h>

#define BATTERY_ARGUMENTS 10

struct battery_program {
	const char *argv[BATTERY_ARGUMENTS]; /* argv[0]: searched in SEARCH_DEFAULT unless it is a path */
	bool as_nobody; /* setuid programs: if root ran them, they would not change the user */
};

/* Ends with an argv[0] of NULL. The self-test leaves out programs that are not installed. */
extern const struct battery_program battery_programs[];
