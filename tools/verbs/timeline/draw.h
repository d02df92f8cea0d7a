/* SPDX-License-Identifier: MIT */
/* Draws timelines, for 'headstart timeline' and 'headstart boot timeline'. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct drawing {
	const char *verb;   /* for people who have mistyped something */
	char *const *paths; /* of the timelines */
	size_t n;           /* 1 or 2 */
	const char *output; /* NULL: the user gave none */
	const char *format; /* its name; NULL: by the ending of the output */
	bool boots;         /* starts are refused */
};

/* Returns an exit status. */
int timeline_draw(const struct drawing *drawing);
