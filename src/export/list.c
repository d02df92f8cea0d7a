/* SPDX-License-Identifier: MIT */
/* Chooses the files of a profile that go into a list, and the path of each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strings.h"
#include "export/export.h"
#include "export/format.h"
#include "report/touched.h"

/* What follows the root in a path that lies below it, beginning with a slash; or NULL. */
static const char *below(const char *root, const char *path)
{
	const char *rest = after_prefix(path, root);

	return rest && rest[0] == '/' ? rest : NULL;
}

static bool is_recorded_from_outside(const struct profile *profile, const char *root)
{
	for (size_t i = 0; i < profile->n_files; i++)
		if (below(root, profile->files[i].path))
			return true;
	return false;
}

static char *joined(const char *root, const char *path)
{
	char *full;

	return asprintf(&full, "%s%s", root, path) < 0 ? NULL : full;
}

/* The path for the format, which is the caller's. Returns 0, -ENOENT if the file lies outside of the root, or -ENOMEM. */
static int path_for(
	const struct format *format, const char *root, bool from_outside, const char *path, char **ret)
{
	const char *inside = path;

	if (root && from_outside) {
		inside = below(root, path);
		if (!inside)
			return -ENOENT;
	}
	if (format->image)
		*ret = strdup(inside);
	else if (root && !from_outside)
		*ret = joined(root, path);
	else
		*ret = strdup(path);
	return *ret ? 0 : -ENOMEM;
}

static int leave_out(struct export_list *list, const char *path, enum export_loss why)
{
	int r = ARRAY_RESERVE(list->left_out, list->left_out_capacity, list->n_left_out + 1);

	if (r < 0)
		return r;
	list->left_out[list->n_left_out++] = (struct export_left_out){path, why};
	return 0;
}

/* Adds a file by a path, of which it becomes the owner. *size is that of the list so far, at a line for each path. */
static int add_entry(struct export_list *list, const struct profile_file *file, char *path, size_t *size)
{
	const struct format *format = &export_formats[list->format];
	enum export_loss why = format->names(path) ? EXPORT_BEYOND : EXPORT_UNNAMED;
	size_t line = strlen(path) + 1;
	int r;

	if (why == EXPORT_UNNAMED || (format->max_size > 0 && line > format->max_size - *size)) {
		free(path);
		return leave_out(list, file->path, why);
	}
	r = ARRAY_RESERVE(list->entries, list->entries_capacity, list->n_entries + 1);
	if (r < 0) {
		free(path);
		return r;
	}
	list->entries[list->n_entries++] = (struct export_entry){.path = path, .file = file};
	if (format->max_size > 0)
		*size += line;
	return 0;
}

static int add_files(struct export_list *list, const struct profile *profile, const char *root)
{
	bool from_outside = root && is_recorded_from_outside(profile, root);
	size_t size = 0;

	for (size_t i = 0; i < profile->n_files; i++) {
		const struct profile_file *file = &profile->files[i];
		char *path;
		int r;

		if (file->kind != PROFILE_REGULAR || file->n_ranges == 0)
			continue;
		r = path_for(&export_formats[list->format], root, from_outside, file->path, &path);
		if (r == -ENOENT) {
			list->outside++;
			continue;
		}
		if (r == 0)
			r = add_entry(list, file, path, &size);
		if (r < 0)
			return r;
	}
	return 0;
}

int export_list_build(
	const struct profile *profile, enum export_format format, const char *root, struct export_list *ret)
{
	struct export_list list = {.format = format, .page_size = profile->page_size};
	int r = add_files(&list, profile, root);

	if (r < 0) {
		export_list_release(&list);
		return r;
	}
	*ret = list;
	return 0;
}

void export_list_release(struct export_list *list)
{
	for (size_t i = 0; i < list->n_entries; i++)
		free(list->entries[i].path);
	free(list->entries);
	free(list->left_out);
	*list = (struct export_list){0};
}

uint64_t export_list_bytes(const struct export_list *list)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < list->n_entries; i++)
		bytes += touched_of(list->entries[i].file, 1, list->page_size).bytes;
	return bytes;
}
