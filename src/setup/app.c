/* SPDX-License-Identifier: MIT */
/* Finds an app, and makes the wrappers of its programs. */
#include "setup/app.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "base/run/search.h"
#include "base/run/wrapper.h"
#include "base/strings.h"
#include "setup/app-parts.h"

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

/* The path is written down for good, so it must not depend on the current folder. */
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

static int add_wrapper(struct app *app, const struct app_program *program)
{
	const char *slash = strrchr(app->name, '/');
	char *text = NULL;
	size_t size;
	FILE *out;

	if (file_set_has(&app->set, program->wrapper))
		return 0;
	out = open_memstream(&text, &size);
	if (!out)
		return -ENOMEM;
	fputs(WRAPPER_HEAD, out);
	quote_shell(out,
		slash ? slash + 1 : app->name); /* has one line; a folder may have a newline in its name */
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

static bool is_named(const char *path, const char *name)
{
	return streq(strrchr(path, '/') + 1, name);
}

/* Sandboxes and emulators have a root and an ld.so of their own, so headstart does not reach what they start. */
static const char *container_tool(const struct app *app)
{
	static const char *const tools[] = {"flatpak", "snap", "wine"};
	const struct app_program *program = app->programs;

	for (size_t i = 0; app->n_programs > 0 && i < sizeof(tools) / sizeof(tools[0]); i++)
		if (!streq(app->name, tools[i]) &&
			(is_named(program->path, tools[i]) || is_named(program->canonical, tools[i])))
			return tools[i];
	return NULL;
}

/* Looks for a program that exists only where its wrapper would be. Returns 0 or -ENOMEM. */
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
	/* On a desktop it may be executable. */
	bool is_menu = app->path && ends_with(app->path, APP_MENU_SUFFIX);
	int r = is_menu ? app_menu_add_program(app, app->path) : app_add_named_programs(app);

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
	} else if ((*ret_subject = app_wrapper_in_place(app))) {
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
