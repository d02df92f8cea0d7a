/* SPDX-License-Identifier: MIT */
/* What a loader puts in the place of $LIB, by where it searches: before glibc 2.33 it does not say so otherwise. */
#pragma once

/* Runs the loader. *ret, which the caller frees, stays as it is if it cannot be found out. Returns 0 or negative errno. */
int searched_lib(const char *loader, char **ret);
