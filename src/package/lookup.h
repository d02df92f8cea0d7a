/* SPDX-License-Identifier: MIT */
/* The files whose owners we look for, under every name that a package may have for them. Internal to src/package. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "package/owner.h"

struct lookup_name {
	char *path;  /* owned */
	size_t file; /* index of the file in owners */
};

struct lookup {
	const char *root;          /* borrowed */
	struct lookup_name *names; /* owned; by path */
	size_t n_names;
	size_t capacity;
	struct package_owner *owners; /* borrowed; one for each file, filled in by lookup_claim() */
};

/*
 * Adds the n paths, and their other names in a merged /usr. `owners` has room for n, all PACKAGE_NONE. The caller
 * releases *ret, also on failure. Returns 0, -EINVAL, or -ENOMEM.
 */
int lookup_init(struct lookup *ret, const char *root, const char *const *paths, size_t n,
	struct package_owner *owners);
void lookup_release(struct lookup *lookup);

static inline void lookup_releasep(struct lookup *lookup)
{
	lookup_release(lookup);
}

/* Whether `path` is a name of a file that has no owner yet. */
bool lookup_wants(const struct lookup *lookup, const char *path);

/* Gives the files that have the name owner->path and no owner yet a copy of `owner`. Returns 0 or -ENOMEM. */
int lookup_claim(const struct lookup *lookup, const struct package_owner *owner);

/* The names of files that have no owner yet; the caller frees only the array. Returns 0 or -ENOMEM. */
int lookup_unowned(const struct lookup *lookup, const char ***ret_names, size_t *ret_n);

/*
 * Each asks one package manager about files without an owner. Return 0 (also if it is not installed), -EIO, or negative
 * errno.
 */
int dpkg_claim(const struct lookup *lookup);
int rpm_claim(const struct lookup *lookup);
