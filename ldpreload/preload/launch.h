/* SPDX-License-Identifier: MIT */
/* A program is about to be executed by this process or a child of it. */
#pragma once

#include <stdbool.h>

struct start_arguments;

struct launch {
	int folder;       /* AT_FDCWD, or the open folder that a relative path begins in */
	const char *path; /* NULL: `folder` is the program */
	bool searched;    /* a path without '/' is looked for in $PATH */
	bool no_follow;   /* a link at the end of the path is not followed */
	bool or_folder;   /* an empty path: `folder` is the program */
	const struct start_arguments *arguments;
	char *const *environment; /* the program's, NULL if it is ours; may be a bad address */
};

/*
 * Starts the prefetcher if the program has a plan, pages of it are missing, and no prefetcher is at work on it. Waits
 * for nothing but a small execve; writes only to the stack; safe in a signal handler and in a child of vfork(2).
 */
void launch_anticipate(const struct launch *launch);

/* The same for the program that we are in, whose parent may have no hooks. Looks only at the path it was started
 * with. */
void launch_own(const char *program, char **argv);
