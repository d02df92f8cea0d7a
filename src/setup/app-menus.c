/* SPDX-License-Identifier: MIT */
/* The menu entries of an app: .desktop files below applications/ in the folders of data. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/run/search.h"
#include "base/strings.h"
#include "setup/app-parts.h"
#include "setup/desktop.h"

#define DESKTOP_MAX          (1u << 20) /* bytes of a .desktop file */
#define DESKTOP_DEPTH        4          /* levels of folders below applications/ */
#define DEFAULT_DATA_FOLDERS "/usr/local/share:/usr/share"

/*
 * Called for each .desktop file; `id` is its path below applications/ with dashes for slashes (Desktop Entry
 * Specification). Returns 0 to go on, 1 to end, or negative errno.
 */
typedef int take_menu(struct app *app, const char *path, const char *id);

/* A desktop_replace. */
static const char *wrapper_for(void *app, const char *command)
{
	return app_wrapper_for(app, command);
}

static int take_desktop_file(struct app *app, const char *path, const char *id)
{
	_cleanup_free_ char *text = NULL, *rewritten = NULL;
	char target[PATH_MAX];
	size_t size;
	int r;

	if (snprintf(target, sizeof(target), "%s/applications/%s", app->places.data, id) >=
			(int)sizeof(target) ||
		file_set_has(&app->set, target))
		return 0;
	if (streq(path, target) && file_standing(target, app->places.before) == FILE_OURS) {
		path = manifest_find(app->places.before, target)->saved; /* the user's own file */
		if (!path)
			return 0;
	}
	if (read_file(path, DESKTOP_MAX, &text, &size) < 0 || strlen(text) != size)
		return 0;
	r = desktop_rewrite(text, wrapper_for, app, &rewritten);
	if (r <= 0)
		return r;
	app->n_menus++;
	size = strlen(rewritten);
	return file_set_add(&app->set, target, 0644, TAKE_PTR(rewritten), size);
}

static int walk_desktop_files(
	struct app *app, const char *folder, const char *prefix, int depth, take_menu *take)
{
	_cleanup_closedir_ DIR *open_folder = opendir(folder);
	struct dirent *entry;
	int r = 0;

	while (r == 0 && open_folder && (entry = readdir(open_folder))) {
		char path[PATH_MAX], id[PATH_MAX];
		struct stat st;

		if (entry->d_name[0] == '.' ||
			snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >= (int)sizeof(path) ||
			snprintf(id, sizeof(id), "%s%s", prefix, entry->d_name) >= (int)sizeof(id) - 1 ||
			stat(path, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode) && depth < DESKTOP_DEPTH)
			r = walk_desktop_files(app, path, strcat(id, "-"), depth + 1, take);
		else if (S_ISREG(st.st_mode) && ends_with(id, APP_MENU_SUFFIX))
			r = take(app, path, id);
	}
	return r;
}

static int walk_data_folder(struct app *app, const char *folder, take_menu *take)
{
	struct stranger stranger;
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/applications", folder) >= (int)sizeof(path))
		return 0;
	if (stranger_to_us(path, &stranger) == -EPERM) { /* root's menus take nothing from there */
		if (app->places.passed_over)
			app->places.passed_over(path, &stranger);
		return 0;
	}
	return walk_desktop_files(app, path, "", 0, take);
}

/* The user's own files come first, because they hide the others. */
static int walk_data_folders(struct app *app, take_menu *take)
{
	const char *list = app->places.data_path;
	int r = walk_data_folder(app, app->places.data, take);
	char folder[PATH_MAX];

	if (!list || !*list)
		list = DEFAULT_DATA_FOLDERS;
	while (r == 0 && search_next(&list, folder))
		if (folder[0] == '/')
			r = walk_data_folder(app, folder, take);
	return r < 0 ? r : 0;
}

int app_menus_add_files(struct app *app)
{
	return walk_data_folders(app, take_desktop_file);
}

/* Adds the program of the file. Returns as take_menu does. */
static int take_program_of_file(struct app *app, const char *path)
{
	_cleanup_free_ char *text = NULL, *command = NULL;
	size_t size;
	int r;

	if (file_standing(path, app->places.before) == FILE_OURS)
		path = manifest_find(app->places.before, path)
			       ->saved; /* the file of an earlier installation starts the wrapper */
	if (!path || read_file(path, DESKTOP_MAX, &text, &size) < 0)
		return 0;
	r = desktop_command(text, &command);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	r = app_add_program(app, command);
	return r < 0 ? r : app->n_programs > 0;
}

int app_menu_add_program(struct app *app, const char *path)
{
	int r = take_program_of_file(app, path);

	return r < 0 ? r : 0;
}

/* Takes the program of the .desktop file that the app is named after. */
static int take_program_of(struct app *app, const char *path, const char *id)
{
	size_t length = strlen(id) - strlen(APP_MENU_SUFFIX);

	if (!streq(id, app->name) && (strncmp(id, app->name, length) != 0 || app->name[length]))
		return 0;
	return take_program_of_file(app, path);
}

int app_menus_add_program(struct app *app)
{
	return walk_data_folders(app, take_program_of);
}
