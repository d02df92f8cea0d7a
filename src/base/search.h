/* SPDX-License-Identifier: MIT */
/* Commands, looked for in the folders of a list like $PATH. */
#pragma once

#include <limits.h>
#include <stdbool.h>

/* Where commands are looked for without $PATH. */
#define SEARCH_DEFAULT "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/*
 * Copies the next folder of a list with colons, and says whether there was one. *rest is the whole list at
 * first, then what follows; NULL at the end. An empty entry is the working folder, "."; one that does not fit
 * is left out.
 */
bool search_next(const char **rest, char folder[PATH_MAX]);

/* Says whether a candidate is what is wanted: 0, or negative errno. */
typedef int search_check(void *context, const char *candidate);

/*
 * Writes to `ret` the first FOLDER/COMMAND that `check` accepts; like execvp(3), it goes on after those that
 * it does not. Returns 0, -EACCES (`check` said so of one), or -ENOENT.
 */
int search_folders(
	const char *folders, const char *command, search_check *check, void *context, char ret[PATH_MAX]);

/* A search_check, without context: 0 for a program that this process can start, -EACCES for what it cannot,
 * or negative errno. */
int search_check_executable(void *context, const char *path);
