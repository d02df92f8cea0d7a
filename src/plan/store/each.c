/* SPDX-License-Identifier: MIT */
#include "plan/store/each.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/strings.h"

int store_each(
	const char *folder, const char *suffix, int (*look)(void *context, const char *path), void *context)
{
	struct dirent **entries = NULL;
	int n = scandir(folder, &entries, NULL, alphasort), r = 0;

	if (n < 0)
		return errno == ENOENT ? 0 : -errno;
	for (int i = 0; i < n; i++) {
		_cleanup_free_ struct dirent *entry = entries[i];
		_cleanup_free_ char *path = NULL;

		if (r != 0 || !ends_with(entry->d_name, suffix))
			continue;
		r = asprintf(&path, "%s/%s", folder, entry->d_name) < 0 ? -ENOMEM : 0;
		if (r == 0)
			r = look(context, path);
	}
	free(entries);
	return r;
}
