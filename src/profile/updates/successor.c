/* SPDX-License-Identifier: MIT */
/*
 * Finds the file that took the place of a library which is gone. The name of a library's file often ends with its version
 * (libz.so.1.2.13), and a link with the name that programs ask for (libz.so.1) leads to the newest.
 */
#include "profile/updates/carry.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/strings.h"

/* The end of the name without version: "libz.so" of "libz.so.1.2.13"; NULL if it has none. */
static char *end_of_stem(char *name)
{
	char *stem = strstr(name, ".so.");

	return stem ? stem + strlen(".so") : NULL;
}

int profile_file_successor(const char *path, char name[NAME_MAX + 1])
{
	char link[PATH_MAX], target[NAME_MAX + 1];
	char *base, *stem, *dot;

	if (strlen(path) >= sizeof(link) || !strchr(path, '/'))
		return -ENOENT;
	strcpy(link, path);
	base = strrchr(link, '/') + 1;
	stem = end_of_stem(base);
	while (stem && (dot = strrchr(stem, '.')) > stem) {
		ssize_t n;

		*dot = '\0';
		n = readlink(link, target, sizeof(target) - 1);
		if (n <= 0)
			continue;
		target[n] = '\0';
		if (strchr(target, '/') || streq(target, strrchr(path, '/') + 1))
			return -ENOENT; /* it may lead anywhere, or to what is gone */
		strcpy(name, target);
		return 0;
	}
	return -ENOENT;
}
