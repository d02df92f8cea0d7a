/* SPDX-License-Identifier: MIT */
/* Finds owners of files, and gives advice about them. */
#include "package/owner.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "base/strings.h"
#include "package/lookup.h"

int package_owners(const char *root, const char *const *paths, size_t n, struct package_owner *ret)
{
	_cleanup_(lookup_releasep) struct lookup lookup = {0};
	_cleanup_free_ struct package_owner *owners = calloc(n + 1, sizeof(*owners));
	int r;

	if (!owners)
		return -ENOMEM;
	r = lookup_init(&lookup, streq(root, "/") ? "" : root, paths, n, owners);
	if (r == 0)
		r = dpkg_claim(&lookup);
	if (r == 0)
		r = rpm_claim(&lookup);
	if (r < 0) {
		for (size_t i = 0; i < n; i++)
			package_owner_release(&owners[i]);
		return r;
	}
	memcpy(ret, owners, n * sizeof(*ret));
	return 0;
}

void package_owner_release(struct package_owner *owner)
{
	free(owner->package);
	free(owner->path);
	*owner = (struct package_owner){0};
}

/*
 * Copies the packaged file instead of moving it, because a library must not be missing for a moment. The copy's name
 * does not begin with "lib", because ldconfig would take it for the library.
 */
static void write_divert_command(FILE *text, const char *path)
{
	_cleanup_free_ char *moved = NULL;
	const char *slash = strrchr(path, '/');

	if (asprintf(&moved, "%.*s/distrib.%s", (int)(slash - path), path, slash + 1) < 0)
		return;
	fputs(", or first run: cp -a ", text);
	quote_shell(text, path);
	fputc(' ', text);
	quote_shell(text, moved);
	fputs(" && dpkg-divert --local --no-rename --divert ", text);
	quote_shell(text, moved);
	fputs(" --add ", text);
	quote_shell(text, path);
}

int package_advice(const struct package_owner *owner, char **ret)
{
	char *advice = NULL;
	size_t size;
	FILE *text = open_memstream(&advice, &size);

	if (!text)
		return -ENOMEM;
	fputs("use -o or --shadow", text);
	if (owner->manager == PACKAGE_DPKG && !owner->moved)
		write_divert_command(text, owner->path);
	if (fclose(text) != 0) {
		free(advice);
		return -ENOMEM;
	}
	*ret = advice;
	return 0;
}
