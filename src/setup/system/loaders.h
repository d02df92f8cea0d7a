/* SPDX-License-Identifier: MIT */
/* The dynamic loaders of glibc on this machine: one for each kind of program, each with its own $LIB. */
#pragma once

#include <stddef.h>

#include "setup/system/object.h"

struct loader {
	char *path; /* owned: "/lib64/ld-linux-x86-64.so.2" */
	char *lib;  /* owned: its value of $LIB, "lib/x86_64-linux-gnu"; NULL if unknown */
	struct object_kind kind;
};

/*
 * Finds the loaders that exist and can be run; a loader that the kernel cannot run serves no program. *ret, malloc()ed,
 * is the caller's; free it with loaders_free(). Returns 0, or negative errno.
 */
int loaders_find(struct loader **ret, size_t *ret_count);
void loaders_free(struct loader *loaders, size_t count);

/* The path with the loader's value of $LIB. NULL if memory runs out or lib is NULL. The caller frees it. */
char *loader_expand(const struct loader *loader, const char *path);
