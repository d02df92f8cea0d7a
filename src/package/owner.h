/* SPDX-License-Identifier: MIT */
/* Which package a file belongs to, by asking the package managers: dpkg-query -S and rpm -qf. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum package_manager {
	PACKAGE_NONE, /* no package owns it, or no package manager knows */
	PACKAGE_DPKG,
	PACKAGE_RPM,
};

struct package_owner {
	enum package_manager manager;
	/* Owned; as dpkg or rpm names it: "libc6:amd64", "glibc-2.36-9.x86_64"; for several "liba:amd64, liba:i386".
	 * NULL for none. */
	char *package;
	char *path; /* owned; the package's name for the file: /lib/x or /usr/lib/x */
	bool moved; /* a diversion has moved the file to `path` */
};

/*
 * Finds the owners of n files. ret[i] belongs to paths[i], and the caller releases all n. The paths are absolute inside
 * `root` ("/" or the root folder of an image), with no symbolic links but those of a merged /usr: there /lib/x and
 * /usr/lib/x count as the same file. A file that a diversion has moved away still belongs to its package; a file in the
 * place that a local diversion has cleared belongs to no package.
 *
 * A package manager whose program or database is missing knows no owners. Returns 0, -EINVAL for a relative path or one
 * with a newline, -EIO if a package manager failed (its database is damaged, say), or negative errno.
 */
int package_owners(const char *root, const char *const *paths, size_t n, struct package_owner *ret);

void package_owner_release(struct package_owner *owner);

/*
 * What the user can do instead of rewriting a package's file, as the end of a sentence: "use -o or --shadow, or first
 * run: cp … && dpkg-divert …". The caller frees *ret. Returns 0 or -ENOMEM.
 */
int package_advice(const struct package_owner *owner, char **ret);
