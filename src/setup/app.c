/* SPDX-License-Identifier: MIT */
/* The programs of an app and their wrappers. */
#include "setup/app.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/quote.h"
#include "base/search.h"
#include "base/strings.h"
#include "setup/app-parts.h"

/* Names under which people know what distributions call otherwise. */
static const char *const aliases[][4] = {
	{"firefox", "firefox", "firefox-esr", NULL},
	{"libreoffice", "libreoffice", "soffice", NULL},
	{"chrome", "google-chrome", "google-chrome-stable", NULL},
};

void app_release(struct app *app)
{
	for (size_t i = 0; i < app->n_programs; i++) {
		free(app->programs[i].path);
		free(app->programs[i].canonical);
		free(app->programs[i].wrapper);
	}
	free(app->programs);
	free(app->path);
	free(app->obstacle);
	file_set_release(&app->set);
}

/* What is in the folder one is in now is written down for ever. */
static int absolute_path(const char *name, char **ret)
{
	_cleanup_free_ char *folder = NULL;

	if (!strchr(name, '/'))
		return 0;
	folder = name[0] == '/' ? strdup("") : getcwd(NULL, 0);
	if (!folder)
		return -errno;
	while (strncmp(name, "./", 2) == 0)
		name += 2;
	if (asprintf(ret, "%s%s%s", folder, name[0] == '/' ? "" : "/", name) < 0) {
		*ret = NULL;
		return -ENOMEM;
	}
	return 0;
}

int app_init(struct app *ret, const char *name, const struct app_places *places)
{
	*ret = (struct app){.places = *places, .name = name};
	return absolute_path(name, &ret->path);
}

static bool same_folder(const char *a, const char *b)
{
	struct stat first, second;

	if (streq(a, b))
		return true;
	return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
		first.st_ino == second.st_ino;
}

int app_first_folder(const char *list, const char *one, const char *two)
{
	char folder[PATH_MAX];

	while (list && search_next(&list, folder)) {
		if (folder[0] != '/')
			continue;
		if (same_folder(folder, one))
			return 1;
		if (same_folder(folder, two))
			return 2;
	}
	return 0;
}

/* Whether the file lies in that folder. */
static bool lies_in(const char *path, const char *folder)
{
	char its_folder[PATH_MAX];
	const char *slash = strrchr(path, '/');

	return snprintf(its_folder, sizeof(its_folder), "%.*s", (int)(slash - path), path) <
		(int)sizeof(its_folder) &&
		same_folder(its_folder, folder);
}

/* A search_check for programs that are none of ours; the context is the folder of wrappers. */
static int check_program(void *wrappers, const char *path)
{
	return path[0] != '/' || lies_in(path, wrappers) ? -ENOENT : search_check_executable(NULL, path);
}

/* The program that a command starts, were there no wrappers. The caller frees it; NULL if there is none. */
static char *find_program(const struct app *app, const char *command)
{
	const char *list = app->places.path ? app->places.path : SEARCH_DEFAULT;
	char path[PATH_MAX];

	if (strchr(command, '/'))
		return command[0] == '/' && search_check_executable(NULL, command) == 0 ? strdup(command)
											: NULL;
	return search_folders(list, command, check_program, (void *)app->places.wrappers, path) == 0
		? strdup(path)
		: NULL;
}

int app_add_program(struct app *app, const char *command)
{
	_cleanup_free_ char *path = find_program(app, command), *canonical = NULL, *wrapper = NULL;

	if (!path)
		return 0;
	canonical = realpath(path, NULL);
	if (!canonical || asprintf(&wrapper, "%s/%s", app->places.wrappers, strrchr(path, '/') + 1) < 0)
		return -ENOMEM;
	if (ARRAY_RESERVE(app->programs, app->capacity, app->n_programs + 1) < 0)
		return -ENOMEM;
	app->programs[app->n_programs++] =
		(struct app_program){TAKE_PTR(path), TAKE_PTR(canonical), TAKE_PTR(wrapper)};
	return 0;
}

static int add_named_programs(struct app *app)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		int r = 0;

		if (!streq(app->name, aliases[i][0]))
			continue;
		for (const char *const *name = aliases[i] + 1; r == 0 && *name; name++)
			r = app_add_program(app, *name);
		return r;
	}
	return app_add_program(app, app->path ? app->path : app->name);
}

const char *app_wrapper_for(const struct app *app, const char *command)
{
	_cleanup_free_ char *path = find_program(app, command);
	_cleanup_free_ char *canonical = path ? realpath(path, NULL) : NULL;

	for (size_t i = 0; canonical && i < app->n_programs; i++)
		if (streq(app->programs[i].canonical, canonical))
			return app->programs[i].wrapper;
	return NULL;
}

bool app_has_file(const struct app *app, const char *path)
{
	for (size_t i = 0; i < app->set.n_files; i++)
		if (streq(app->set.files[i].path, path))
			return true;
	return false;
}

bool app_ends_with(const char *string, const char *end)
{
	size_t length = strlen(string), n = strlen(end);

	return length > n && streq(string + length - n, end);
}

static int add_wrapper(struct app *app, const struct app_program *program)
{
	const char *slash = strrchr(app->name, '/');
	char *text = NULL;
	size_t size;
	FILE *out;

	if (app_has_file(app, program->wrapper))
		return 0;
	out = open_memstream(&text, &size);
	if (!out)
		return -ENOMEM;
	fputs("#!/bin/sh\n"
	      "# Written by headstart, and taken back by: headstart uninstall --app ",
		out);
	quote_shell(out, slash ? slash + 1 : app->name); /* of one line, as a folder need not be */
	fputs("\n# Where headstart has been removed, the program is started without it.\n"
	      "[ -x " HEADSTART_PROGRAM_PATH " ] || exec ",
		out);
	quote_shell(out, program->path);
	fputs(" \"$@\"\nexec " HEADSTART_PROGRAM_PATH " run -- ", out);
	quote_shell(out, program->path);
	fputs(" \"$@\"\n", out);
	if (fclose(out) < 0) {
		free(text);
		return -ENOMEM;
	}
	return file_set_add(&app->set, program->wrapper, 0755, text, size);
}

/* Sandboxes and emulators have a root, and an ld.so, of their own: what they start cannot be reached from here. */
static const char *container_tool(const struct app *app)
{
	static const char *const tools[] = {"flatpak", "snap", "wine"};

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (app->n_programs > 0 && streq(strrchr(app->programs[0].path, '/') + 1, tools[i]) &&
			!streq(app->name, tools[i]))
			return tools[i];
	return NULL;
}

/* Whether a file lies in the folder of wrappers, under the name that its wrapper would have. */
static bool is_in_place_of(const struct app *app, const char *path, const char *wrapper)
{
	return streq(strrchr(path, '/'), strrchr(wrapper, '/')) && lies_in(path, app->places.wrappers);
}

/* The wrapper that would lie where its program is, or NULL. */
static const char *wrapper_in_place(const struct app *app)
{
	for (size_t i = 0; i < app->n_programs; i++) {
		const struct app_program *program = &app->programs[i];

		if (is_in_place_of(app, program->path, program->wrapper) ||
			is_in_place_of(app, program->canonical, program->wrapper))
			return program->wrapper;
	}
	return NULL;
}

/* A program that only lies where its wrapper would be. Returns 0 or -ENOMEM. */
static int find_obstacle(struct app *app)
{
	_cleanup_free_ char *path = NULL;

	if (app->path)
		return 0;
	if (asprintf(&path, "%s/%s", app->places.wrappers, app->name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	if (search_check_executable(NULL, path) == 0 && file_standing(path, app->places.before) != FILE_OURS)
		app->obstacle = TAKE_PTR(path);
	return 0;
}

static int find_programs(struct app *app)
{
	int r = add_named_programs(app);

	if (r == 0 && app->n_programs == 0 && app->path && app_ends_with(app->path, APP_MENU_SUFFIX))
		r = app_menu_add_program(app, app->path);
	if (r == 0 && app->n_programs == 0)
		r = app_menus_add_program(app);
	if (r == 0 && app->n_programs == 0)
		r = find_obstacle(app);
	return r;
}

int app_find(struct app *app, enum app_problem *ret_problem, const char **ret_subject)
{
	int r = find_programs(app);

	if (r < 0)
		return r;
	*ret_problem = APP_GOOD;
	if (app->n_programs == 0) {
		*ret_problem = app->obstacle ? APP_IN_PLACE : APP_UNKNOWN;
		*ret_subject = app->obstacle;
	} else if ((*ret_subject = container_tool(app))) {
		*ret_problem = APP_CONTAINED;
	} else if ((*ret_subject = wrapper_in_place(app))) {
		*ret_problem = APP_IN_PLACE;
	}
	return 0;
}

int app_make_files(struct app *app)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < app->n_programs; i++)
		r = add_wrapper(app, &app->programs[i]);
	return r < 0 ? r : app_menus_add_files(app);
}
