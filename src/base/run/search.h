/* SPDX-License-Identifier: MIT */
/* Finds commands in the folders of a list like $PATH. */
#pragma once

#include <limits.h>
#include <stdbool.h>

/* The folders that count without $PATH. */
#define SEARCH_DEFAULT "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/*
 * Copies the next folder of a list with colons, and says whether there was one. *rest is the whole list at first, then
 * the rest of it; NULL at the end. An empty entry means the working folder, "."; an entry that does not fit is left
 * out.
 */
bool search_next(const char **rest, char folder[PATH_MAX]);

/* Returns 0 if it accepts a candidate, or negative errno. */
typedef int search_check(void *context, const char *candidate);

/*
 * Writes to `ret` the first FOLDER/COMMAND that `check` accepts; like execvp(3), it goes on after others. Returns 0,
 * -EACCES (if `check` returned that for one), or -ENOENT.
 */
int search_folders(
	const char *folders, const char *command, search_check *check, void *context, char ret[PATH_MAX]);

/* A search_check without context: 0 for a program that this process can execute, -EACCES if it cannot, or negative
 * errno. */
int search_check_executable(void *context, const char *path);
