/* SPDX-License-Identifier: MIT */
/* Writes the files of --shadow: the list of mounts, and the scripts that read it. */
#include "package/shadow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "replace/publish.h"

#define SCRIPT_MAX (64u << 10) /* bytes */

static const char *const scripts[] = {"headstart-shadow", "headstart-image-hook"};

static int copy_script(const char *folder, const char *from, const char *name)
{
	_cleanup_free_ char *source = NULL, *path = NULL, *text = NULL;
	size_t size;
	int r;

	if (asprintf(&source, "%s/%s", from, name) < 0 || asprintf(&path, "%s/%s", folder, name) < 0)
		return -ENOMEM;
	r = read_file(source, SCRIPT_MAX, &text, &size);
	return r < 0 ? r : publish_file(path, 0755, text, size);
}

/* The files are sorted. */
static int publish_list(
	const char *folder, const char *profile, const struct shadow_file *const *files, size_t n)
{
	_cleanup_free_ char *text = NULL, *path = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return -ENOMEM;
	fprintf(out,
		"# Written by 'headstart relayout --shadow', and anew each time: see headstart-relayout-packages(7).\n"
		"profile %s\n",
		profile);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "file %" PRIu64 " %" PRId64 " %s\n", files[i]->size, files[i]->mtime,
			files[i]->original);
	if (fclose(out) != 0 || asprintf(&path, "%s/headstart-shadow.list", folder) < 0)
		return -ENOMEM;
	return publish_file(path, 0644, text, size);
}

/* Whether a line of the list can hold the path. */
static bool usable(const char *path)
{
	return path[0] == '/' && !strchr(path, '\n');
}

static int compare(const void *a, const void *b)
{
	return strcmp((*(const struct shadow_file *const *)a)->original,
		(*(const struct shadow_file *const *)b)->original);
}

int shadow_write(
	const char *folder, const char *from, const char *profile, const struct shadow_file *files, size_t n)
{
	_cleanup_free_ const struct shadow_file **sorted = malloc((n + 1) * sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	if (!usable(folder) || !usable(profile))
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (!usable(files[i].original))
			return -EINVAL;
		sorted[i] = &files[i];
	}
	qsort(sorted, n, sizeof(*sorted), compare);
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		int r = copy_script(folder, from, scripts[i]);

		if (r < 0)
			return r;
	}
	return publish_list(folder, profile, sorted, n);
}
