/* SPDX-License-Identifier: MIT */
/* What a start asks its program for (format/asked.h), found out as the shims do, for the tools. */
#pragma once

#include <stdbool.h>

#include "format/asked.h"

/*
 * What the arguments ask for, argv[0] first. Relative paths begin in `folder`, an open folder, or AT_FDCWD. Returns
 * whether the start has a key; *ret is filled in either way.
 */
bool asked_by_arguments(const char *rule, const char *const *argv, int folder, struct asked *ret);

/*
 * The same by what only root can change, so that it waits for no server of a user's: no other file that the arguments name is found.
 * `folder` may be -1.
 */
bool asked_by_arguments_of_root(const char *rule, const char *const *argv, int folder, struct asked *ret);
