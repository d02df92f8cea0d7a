/* SPDX-License-Identifier: MIT */
/* The functions that the preload shim hooks, and which of their arguments it looks at. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "entry.h"

enum hook_kind {
	HOOK_LIBRARY,    /* loads a library */
	HOOK_EXEC,       /* executes a program given by its path */
	HOOK_SPAWN,      /* the same, in a child */
	HOOK_EXEC_AT,    /* the same by a folder and a path in it */
	HOOK_DESCRIPTOR, /* the same by a descriptor */
};

#define ENVIRONMENT_LISTED 255 /* after the NULL that ends the list of arguments */

struct hook {
	/* No pointers: nothing of the shim needs a relocation. */
	char name[13], version[12];
	uint8_t kind; /* enum hook_kind */
	uint8_t path; /* which argument is the path; of HOOK_EXEC_AT: the folder, of HOOK_DESCRIPTOR: that */
	uint8_t environment; /* which is the program's environment, or ENVIRONMENT_LISTED; 0: it is ours */
	uint8_t arguments;   /* which is the program's argv; if `listed`, which is argv[0] */
	bool listed;         /* the program's arguments are arguments of the function */
	bool searched;       /* a path without '/' is looked for in $PATH */
};

/*
 * HOOK(number, name, at, version, members of struct hook…). The versions are glibc's own: callers bound to an old
 * version get that one, and callers bound to a version that we do not know bypass us. "@@" marks the default version.
 */
#define HOOKS(HOOK)                                                                                          \
	HOOK(0, dlopen, "@@", "GLIBC_2.34", .kind = HOOK_LIBRARY, .path = 0)                                 \
	HOOK(1, dlmopen, "@@", "GLIBC_2.34", .kind = HOOK_LIBRARY, .path = 1)                                \
	HOOK(2, execve, "@@", VERSION_BASE, .kind = HOOK_EXEC, .path = 0, .arguments = 1, .environment = 2)  \
	HOOK(3, execv, "@@", VERSION_BASE, .kind = HOOK_EXEC, .path = 0, .arguments = 1)                     \
	HOOK(4, execvp, "@@", VERSION_BASE, .kind = HOOK_EXEC, .path = 0, .arguments = 1, .searched = true)  \
	HOOK(5, execvpe, "@@", VERSION_EXECVPE, .kind = HOOK_EXEC, .path = 0, .arguments = 1,                \
		.environment = 2, .searched = true)                                                          \
	HOOK(6, execl, "@@", VERSION_BASE, .kind = HOOK_EXEC, .path = 0, .arguments = 1, .listed = true)     \
	HOOK(7, execlp, "@@", VERSION_BASE, .kind = HOOK_EXEC, .path = 0, .arguments = 1, .listed = true,    \
		.searched = true)                                                                            \
	HOOK(8, execle, "@@", VERSION_BASE, .kind = HOOK_EXEC, .path = 0, .arguments = 1, .listed = true,    \
		.environment = ENVIRONMENT_LISTED)                                                           \
	HOOK(9, fexecve, "@@", VERSION_BASE, .kind = HOOK_DESCRIPTOR, .path = 0, .arguments = 1,             \
		.environment = 2)                                                                            \
	HOOK(10, execveat, "@@", "GLIBC_2.34", .kind = HOOK_EXEC_AT, .path = 0, .arguments = 2,              \
		.environment = 3)                                                                            \
	HOOK(11, posix_spawn, "@@", VERSION_SPAWN, .kind = HOOK_SPAWN, .path = 1, .arguments = 4,            \
		.environment = 5)                                                                            \
	HOOK(12, posix_spawnp, "@@", VERSION_SPAWN, .kind = HOOK_SPAWN, .path = 1, .arguments = 4,           \
		.environment = 5, .searched = true)                                                          \
	HOOKS_OF_OLD(HOOK)
