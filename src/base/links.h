/* SPDX-License-Identifier: MIT */
/* Symbolic links within one folder. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Whether this entry of an open folder is a symbolic link to a name in the same folder. */
static inline bool links_to_neighbour(int folder, const char *entry)
{
	char target[NAME_MAX + 1];
	ssize_t length = readlinkat(folder, entry, target, sizeof(target));

	return length > 0 && !memchr(target, '/', (size_t)length);
}
