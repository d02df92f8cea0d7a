/* SPDX-License-Identifier: MIT */
/* Where the daemon's own programs are. */
#pragma once

#include <limits.h>

/* The path of the program of this name beside ours, or else where it is installed. */
void beside_find(const char *name, char ret[PATH_MAX]);
