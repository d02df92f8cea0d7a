/* SPDX-License-Identifier: MIT */
/* What a start asks its program for (format/asked.h), found out as the shims do, for the tools. */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <sys/types.h>

#include "format/asked.h"

/* Where the paths of arguments lie. */
struct asked_place {
	int folder; /* borrowed: an open folder, in which relative ones begin; or AT_FDCWD */
	int root; /* borrowed: the root folder of a process in another mount namespace, by whose names all are; -1: ours */
	/*
	 * If not 0, we are root and this is a start of that user: what this user cannot see by the name that it has here counts as missing, and so
	 * does what lies behind a folder that this user cannot see into, or behind anything in /proc (base/paths/viewed.h).
	 */
	uid_t viewer;
};

/* In the current folder of this process. */
#define ASKED_PLACE_HERE                                                                                     \
	{                                                                                                    \
		.folder = AT_FDCWD, .root = -1                                                               \
	}

/*
 * What the arguments ask for, argv[0] first. Relative paths begin in `folder`, an open folder, or AT_FDCWD. Returns
 * whether the start has a key; *ret is filled in either way.
 */
bool asked_by_arguments(const char *rule, const char *const *argv, int folder, struct asked *ret);

/* The same for arguments of a process that may be in another mount namespace. ret->text is the name that a file has there. */
bool asked_by_arguments_at(
	const char *rule, const char *const *argv, const struct asked_place *place, struct asked *ret);

/*
 * The same by what only root can change, so that it waits for no server of a user's: no other file that the arguments name is found.
 * `folder` may be -1.
 */
bool asked_by_arguments_of_root(const char *rule, const char *const *argv, int folder, struct asked *ret);
