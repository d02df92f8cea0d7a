/* SPDX-License-Identifier: MIT */
/* Whether a library can be trusted to every process of the machine. */
#pragma once

#include "setup/system/loaders.h"

/*
 * Checks the library at `path` for programs of that loader: a whole shared object of its kind; it and every
 * folder on the way root's, and for nobody else to write; on the mount that the loader lies on, so that it is
 * there when the first program is. *ret_problem, a static string such as "is not there" that makes a sentence
 * with the path before it, or NULL if nothing is wrong. Returns 0 or negative errno (what could not be looked
 * at).
 */
int library_check(const struct loader *loader, const char *path, const char **ret_problem);
