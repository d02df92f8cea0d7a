/* SPDX-License-Identifier: MIT */
/* Writes the files of --shadow: the list of mounts, and the scripts that read it. */
#include "package/shadow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "replace/publish.h"

#define SCRIPT_MAX (64u << 10) /* bytes */
#define LIST_MAX   (16u << 20) /* bytes */
#define LIST_NAME  "headstart-shadow.list"

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
	if (fclose(out) != 0 || asprintf(&path, "%s/" LIST_NAME, folder) < 0)
		return -ENOMEM;
	return publish_file(path, 0644, text, size);
}

bool shadow_can_list(const char *path)
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
	if (!shadow_can_list(folder) || !shadow_can_list(profile))
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (!shadow_can_list(files[i].original))
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

/* Returns 1 if the path shows the file that lies below the folder, 0 if not, or -ENOMEM. */
static int shows_copy(const char *folder, const char *original)
{
	_cleanup_free_ char *copy = NULL;
	struct stat of_copy, of_original;

	if (asprintf(&copy, "%s%s", folder, original) < 0)
		return -ENOMEM;
	return stat(copy, &of_copy) == 0 && stat(original, &of_original) == 0 &&
		of_copy.st_dev == of_original.st_dev && of_copy.st_ino == of_original.st_ino;
}

int shadow_find_mounted(const char *folder, char **ret)
{
	_cleanup_free_ char *path = NULL, *text = NULL;
	char *rest, *line;
	size_t size;
	int r;

	*ret = NULL;
	if (asprintf(&path, "%s/" LIST_NAME, folder) < 0)
		return -ENOMEM;
	r = read_file(path, LIST_MAX, &text, &size);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		int at = 0;

		if (sscanf(line, "file %*u %*d %n", &at), !at)
			continue;
		r = shows_copy(folder, line + at);
		if (r < 0)
			return r;
		if (r > 0) {
			*ret = strdup(line + at);
			return *ret ? 0 : -ENOMEM;
		}
	}
	return 0;
}
