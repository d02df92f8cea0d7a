/* SPDX-License-Identifier: MIT */
/* What symbolic links lead to: those within one folder, and those in /proc that name open files. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define DELETED_SUFFIX " (deleted)" /* of the path of a file in /proc, if it has been deleted */

/*
 * The path under which an open file is known now; untouched on failure. -ENOENT if it has none: it was deleted, or never had one, as
 * a pipe. A file whose name ends in DELETED_SUFFIX counts as deleted: only looking at the path could tell, which may wait for a disk.
 */
int path_of_fd(int fd, char ret_path[PATH_MAX]);

/*
 * The path of a file that lies where the running program does; untouched on failure. The file need not exist. Returns 0 or negative
 * errno.
 */
int path_beside_us(const char *name, char ret_path[PATH_MAX]);

/* Whether there is a symbolic link with this path, and that is its text. */
bool link_is(const char *path, const char *text);

/* Whether this entry of an open folder is a symbolic link to a name in the same folder. */
static inline bool links_to_neighbour(int folder, const char *entry)
{
	char target[NAME_MAX + 1];
	ssize_t length = readlinkat(folder, entry, target, sizeof(target));

	return length > 0 && !memchr(target, '/', (size_t)length);
}
