/* SPDX-License-Identifier: MIT */
/* Finds records by name, and checks what several installations share. */
#include "setup/records.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"

#define APP_PREFIX  "app-"
#define SUFFIX      ".json"
#define MENU_SUFFIX ".desktop"
#define NAME_LIMIT  128 /* bytes; a name becomes part of longer file names */

/* Whether it can be a record's name, which becomes part of file names and of lines in a script. */
static bool is_usable(const char *name)
{
	for (const char *at = name; *at; at++)
		if (iscntrl((unsigned char)*at))
			return false;
	return *name && *name != '.' && *name != '-' && strlen(name) < NAME_LIMIT;
}

int record_name_of_app(const char *app, char **ret)
{
	const char *slash = strrchr(app, '/'), *base = slash ? slash + 1 : app;
	size_t length = strlen(base), ending = strlen(MENU_SUFFIX);

	if (!is_usable(base))
		return -EINVAL;
	if (length > ending && streq(base + length - ending, MENU_SUFFIX))
		length -= ending;
	return asprintf(ret, APP_PREFIX "%.*s", (int)length, base) < 0 ? -ENOMEM : 0;
}

int record_path(const char *folder, const char *name, char **ret)
{
	return asprintf(ret, "%s/%s" SUFFIX, folder, name) < 0 ? -ENOMEM : 0;
}

int record_load(const char *path, struct manifest *ret)
{
	int r = manifest_load(path, ret);

	return r == -ENOENT ? 0 : r;
}

int record_each_app(const char *folder, int (*each)(void *context, const char *app), void *context)
{
	_cleanup_closedir_ DIR *open_folder = opendir(folder);
	struct dirent *entry;
	int r = 0;

	while (r == 0 && open_folder && (entry = readdir(open_folder))) {
		const char *app = after_prefix(entry->d_name, APP_PREFIX);
		size_t length = app ? strlen(app) : 0;
		_cleanup_free_ char *name = NULL;

		if (length <= strlen(SUFFIX) || !streq(app + length - strlen(SUFFIX), SUFFIX))
			continue;
		name = strndup(app, length - strlen(SUFFIX));
		r = name ? each(context, name) : -ENOMEM;
	}
	return r;
}

void record_clash_release(struct record_clash *clash)
{
	free(clash->app);
	free(clash->record);
}

/* Reads the record of that name. The clash names a record that cannot be read. */
static int load_named(
	const char *folder, const char *name, struct manifest *ret, struct record_clash *ret_clash)
{
	_cleanup_free_ char *path = NULL;
	int r = record_path(folder, name, &path);

	if (r == 0)
		r = record_load(path, ret);
	if (r < 0)
		ret_clash->record = TAKE_PTR(path);
	return r;
}

static int load_app(const char *folder, const char *app, struct manifest *ret, struct record_clash *ret_clash)
{
	_cleanup_free_ char *name = NULL;
	int r = record_name_of_app(app, &name);

	return r < 0 ? r : load_named(folder, name, ret, ret_clash);
}

static int check_against(
	const struct manifest *manifest, const char *app, const char *path, struct record_clash *ret_clash)
{
	if (file_standing(path, manifest) != FILE_OURS)
		return 0;
	ret_clash->app = strdup(app);
	ret_clash->file = path;
	return ret_clash->app ? -EEXIST : -ENOMEM;
}

struct file_check {
	const char *folder, *path;
	struct record_clash *clash;
};

static int check_app(void *context, const char *app)
{
	const struct file_check *check = context;
	_cleanup_(manifest_releasep) struct manifest manifest = {0};
	int r = load_app(check->folder, app, &manifest, check->clash);

	return r < 0 ? r : check_against(&manifest, app, check->path, check->clash);
}

int record_check_file(const char *folder, const char *path, struct record_clash *ret_clash)
{
	struct file_check check = {folder, path, ret_clash};

	*ret_clash = (struct record_clash){0};
	return record_each_app(folder, check_app, &check);
}

struct newcomer {
	const char *folder, *path; /* of its record */
	const struct file_set *set;
	struct manifest *manifest;
	struct record_clash *clash;
};

/* Folders that another installation has made belong to this one as well. */
static int share_folders(const struct newcomer *newcomer, const struct manifest *other)
{
	return files_share_folders(newcomer->set, newcomer->path, other, newcomer->manifest);
}

static int heed_user(const struct newcomer *newcomer)
{
	_cleanup_(manifest_releasep) struct manifest other = {0};
	int r = load_named(newcomer->folder, RECORD_OF_USER, &other, newcomer->clash);

	return r < 0 ? r : share_folders(newcomer, &other);
}

/* We must not replace files of another app. */
static int heed_app(void *context, const char *app)
{
	const struct newcomer *newcomer = context;
	_cleanup_(manifest_releasep) struct manifest other = {0};
	_cleanup_free_ char *name = NULL, *path = NULL;
	int r = record_name_of_app(app, &name);

	if (r == 0)
		r = record_path(newcomer->folder, name, &path);
	if (r < 0 || streq(path, newcomer->path))
		return r;
	r = load_named(newcomer->folder, name, &other, newcomer->clash);
	if (r == 0)
		r = share_folders(newcomer, &other);
	for (size_t i = 0; r == 0 && i < newcomer->set->n_files; i++)
		r = check_against(&other, app, newcomer->set->files[i].path, newcomer->clash);
	return r;
}

int record_prepare(const char *folder, const char *name, const struct file_set *set,
	struct manifest *manifest, struct record_clash *ret_clash)
{
	_cleanup_free_ char *path = NULL;
	struct newcomer newcomer = {.folder = folder, .set = set, .manifest = manifest, .clash = ret_clash};
	int r = record_path(folder, name, &path);

	*ret_clash = (struct record_clash){0};
	newcomer.path = path;
	if (r == 0 && !streq(name, RECORD_OF_USER))
		r = heed_user(&newcomer);
	return r < 0 ? r : record_each_app(folder, heed_app, &newcomer);
}

enum record_state record_state_of(const struct manifest *manifest)
{
	enum record_state state = manifest->n_files ? RECORD_INSTALLED : RECORD_NOTHING;

	for (size_t i = 0; i < manifest->n_files; i++) {
		enum file_standing standing = file_standing(manifest->files[i].path, manifest);

		if (standing == FILE_ABSENT)
			return RECORD_INCOMPLETE;
		if (standing != FILE_OURS)
			state = RECORD_CHANGED;
	}
	return state;
}
