/* SPDX-License-Identifier: MIT */
/* Decides whether a library can be loaded safely into every process of the machine. */
#pragma once

#include "setup/system/loaders.h"

/*
 * Checks the library at `path` for programs of that loader. It must be a whole shared object of the loader's kind. Root
 * must own it and every folder on the way, and nobody else may write to them. It must lie on the same mount as the
 * loader, so that it is there when the first program is. *ret_problem is a static string such as "is not there", which
 * makes a sentence with the path before it, or NULL if nothing is wrong. Returns 0 or negative errno (something could
 * not be examined).
 */
int library_check(const struct loader *loader, const char *path, const char **ret_problem);
