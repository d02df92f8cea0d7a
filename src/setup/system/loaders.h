/* SPDX-License-Identifier: MIT */
/* The dynamic loaders of glibc on this machine: one for each kind of program, each with its own $LIB. */
#pragma once

#include <stddef.h>

#include "setup/system/object.h"

struct loader {
	char *path; /* owned: "/lib64/ld-linux-x86-64.so.2" */
	char *lib;  /* owned: what it puts for $LIB, "lib/x86_64-linux-gnu"; NULL where it does not tell
		       (before  glibc 2.33) */
	struct object_kind kind;
};

/*
 * Those that are there and can be run; one that the kernel cannot run serves no program. *ret, malloc()ed, is
 * the caller's, to be freed by loaders_free(). Returns 0, or negative errno.
 */
int loaders_find(struct loader **ret, size_t *ret_count);
void loaders_free(struct loader *loaders, size_t count);

/* The path with $LIB as the loader has it, or NULL without memory or where lib is NULL. The caller frees it.
 */
char *loader_expand(const struct loader *loader, const char *path);
