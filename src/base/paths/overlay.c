/* SPDX-License-Identifier: MIT */
/* Takes the options of an overlayfs to pieces: lists of folders, with the escapes of mountinfo and those of overlayfs. */
#include "base/paths/overlay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/paths/mountinfo.h"
#include "base/strings.h"

/* Copies one folder of a list up to `separator`, undoing the backslashes of overlayfs. Returns its end. */
static const char *copy_layer(const char *at, char separator, char *to)
{
	for (; *at && *at != separator; at++) {
		if (at[0] == '\\' && at[1])
			at++;
		*to++ = *at;
	}
	*to = '\0';
	return at;
}

/* The end of an option in the list, at a comma that no backslash protects. */
static char *end_of_option(char *at)
{
	while (*at && *at != ',')
		at += at[0] == '\\' && at[1] ? 2 : 1;
	return at;
}

/* Counts *n down over the folders of the list; 0 and the folder in `layer` when it gets there. */
static int pick_layer(const char *list, size_t *n, char *layer)
{
	for (;; list++) {
		while (*list == ':') /* "::" begins the data-only layers */
			list++;
		if (!*list)
			return -ENOENT;
		list = copy_layer(list, ':', layer);
		if ((*n)-- == 0)
			return 0;
		if (!*list)
			return -ENOENT;
	}
}

/* The same for all options that begin with one of the prefixes. */
static int pick_option(const char *all_options, const char *const prefixes[], size_t *n, char *layer)
{
	_cleanup_free_ char *options = strdup(all_options);
	char *at = options;

	if (!options)
		return -ENOMEM;
	mountinfo_unescape(options);
	for (char *end; *at; at = end) {
		end = end_of_option(at);
		if (*end)
			*end++ = '\0';
		for (size_t i = 0; prefixes[i]; i++) {
			const char *list = after_prefix(at, prefixes[i]);

			if (list && pick_layer(list, n, layer) == 0)
				return 0;
		}
	}
	return -ENOENT;
}

int overlay_layer(const char *options, bool with_upper, size_t n, char **ret)
{
	static const char *const upper[] = {"upperdir=", NULL};
	static const char *const lower[] = {"lowerdir=", "lowerdir+=", "datadir+=", NULL};
	_cleanup_free_ char *layer = malloc(strlen(options) + 1);
	int r = -ENOENT;

	if (!layer)
		return -ENOMEM;
	if (with_upper)
		r = pick_option(options, upper, &n, layer);
	if (r == -ENOENT)
		r = pick_option(options, lower, &n, layer);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(layer);
	return 0;
}
