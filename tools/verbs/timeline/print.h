/* SPDX-License-Identifier: MIT */
/* Says where the time of a timeline went, for 'headstart report' and 'headstart boot report'. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* With `boots`, a start is refused. Prints no more than `rows` lines of each table. Returns an exit status. */
int timeline_print(const char *path, bool boots, bool json, size_t rows);
