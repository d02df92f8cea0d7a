/* SPDX-License-Identifier: MIT */
/* Lines of mountinfo, and the layers that an overlayfs names among its options. */
#include "device/mount.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/strings.h"

#define MOUNTINFO_MAX (16u << 20) /* bytes: some 100,000 mounts */

void mount_release(struct mount *mount)
{
	free(mount->root);
	free(mount->point);
	free(mount->type);
	free(mount->source);
	free(mount->options);
	*mount = (struct mount){0};
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Space, tab, newline and backslash stand as \040 and so on (seq_escape() of the kernel). In place. */
static void undo_octal(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (from[0] == '\\' && is_octal(from[1]) && is_octal(from[2]) && is_octal(from[3])) {
			*to++ = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

static char *next_field(char **at)
{
	return strsep(at, " ");
}

/* ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAG…] - TYPE SOURCE SUPER-OPTIONS. Cuts the line to pieces. */
static int parse_line(char *line, unsigned long long id, struct mount *ret)
{
	_cleanup_(mount_releasep) struct mount mount = {0};
	const char *fields[5] = {NULL};
	char *at = line, *field;
	char *root, *point;

	for (int i = 0; i < 3; i++)
		fields[i] = next_field(&at);
	if (!fields[2] || strtoull(fields[0], NULL, 10) != id)
		return -ENOENT;
	root = next_field(&at);
	point = next_field(&at);
	while ((field = next_field(&at)) && !streq(field, "-"))
		;
	for (int i = 0; i < 3; i++)
		fields[i] = next_field(&at);
	if (!fields[2])
		return -ENOENT;
	undo_octal(root);
	undo_octal(point);
	mount = (struct mount){
		strdup(root), strdup(point), strdup(fields[0]), strdup(fields[1]), strdup(fields[2])};
	if (!mount.root || !mount.point || !mount.type || !mount.source || !mount.options)
		return -ENOMEM;
	undo_octal(mount.source);
	*ret = mount;
	mount = (struct mount){0};
	return 0;
}

int mount_find(const char *mountinfo, unsigned long long id, struct mount *ret)
{
	_cleanup_free_ char *data = NULL;
	char *at, *line;
	size_t size;
	int r = read_pseudo_file(mountinfo, MOUNTINFO_MAX, &data, &size);

	if (r < 0)
		return r;
	at = data;
	while ((line = strsep(&at, "\n"))) {
		r = parse_line(line, id, ret);
		if (r != -ENOENT)
			return r;
	}
	return -ENOENT;
}

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

/* Takes one option off the list: its end, at a comma that no backslash protects. */
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

/* The same over all options that begin with one of the prefixes. */
static int pick_option(const char *all_options, const char *const prefixes[], size_t *n, char *layer)
{
	_cleanup_free_ char *options = strdup(all_options);
	char *at = options;

	if (!options)
		return -ENOMEM;
	undo_octal(options);
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

int mount_overlay_layer(const struct mount *mount, size_t n, char **ret)
{
	static const char *const upper[] = {"upperdir=", NULL};
	static const char *const lower[] = {"lowerdir=", "lowerdir+=", "datadir+=", NULL};
	_cleanup_free_ char *layer = malloc(strlen(mount->options) + 1);
	int r;

	if (!layer)
		return -ENOMEM;
	r = pick_option(mount->options, upper, &n, layer);
	if (r == -ENOENT)
		r = pick_option(mount->options, lower, &n, layer);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(layer);
	return 0;
}
