/* SPDX-License-Identifier: MIT */
/* Finds the programs of an app, and the places of their wrappers. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/same-file.h"
#include "base/run/search.h"
#include "base/strings.h"
#include "setup/app-parts.h"

#define LINKS_MAX 40 /* as the kernel has it: path_resolution(7) */

/* Names that people use for programs which distributions name differently. */
static const char *const aliases[][4] = {
	{"firefox", "firefox", "firefox-esr", NULL},
	{"libreoffice", "libreoffice", "soffice", NULL},
	{"chrome", "google-chrome", "google-chrome-stable", NULL},
};

static bool same_folder(const char *a, const char *b)
{
	struct stat first, second;

	if (streq(a, b))
		return true;
	return stat(a, &first) == 0 && stat(b, &second) == 0 && same_file(&first, &second);
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

/* A search_check that skips our own wrappers; the context is the folder of wrappers. */
static int check_program(void *wrappers, const char *path)
{
	return path[0] != '/' || lies_in(path, wrappers) ? -ENOENT : search_check_executable(NULL, path);
}

/* The program that a command would start if there were no wrappers. The caller frees it; NULL if there is none. */
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

int app_add_named_programs(struct app *app)
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

/* Replaces the path by what the link there leads to. False if it is no link. */
static bool follow_link(char path[PATH_MAX])
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	size_t folder = (size_t)(strrchr(path, '/') + 1 - path);

	if (n <= 0)
		return false;
	target[n] = '\0';
	if (target[0] == '/')
		folder = 0;
	if (folder + (size_t)n >= PATH_MAX)
		return false;
	strcpy(path + folder, target);
	return strrchr(path, '/')[1] != '\0';
}

/* Whether the program has this name, or one of the links that lead to it. */
static bool has_name(const char *program, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s", program) >= (int)sizeof(path))
		return false;
	for (int links = 0; links <= LINKS_MAX; links++) {
		if (streq(strrchr(path, '/') + 1, name))
			return true;
		if (!follow_link(path))
			return false;
	}
	return false;
}

/*
 * Some programs do by their name what other programs do: vim and gvim may be one file, as all apps of snap are. So the name must be one of
 * the program's, too.
 */
const char *app_wrapper_for(const struct app *app, const char *command)
{
	_cleanup_free_ char *path = find_program(app, command);
	_cleanup_free_ char *canonical = path ? realpath(path, NULL) : NULL;
	const char *wrapper = NULL;

	for (size_t i = 0; canonical && i < app->n_programs; i++) {
		const struct app_program *program = &app->programs[i];
		const char *name = strrchr(path, '/') + 1;

		if (!streq(program->canonical, canonical) || !has_name(program->path, name))
			continue;
		if (!wrapper || streq(strrchr(program->path, '/') + 1, name))
			wrapper = program->wrapper;
	}
	return wrapper;
}

/* Whether a file lies in the folder of wrappers, under its wrapper's name. */
static bool is_in_place_of(const struct app *app, const char *path, const char *wrapper)
{
	return streq(strrchr(path, '/'), strrchr(wrapper, '/')) && lies_in(path, app->places.wrappers);
}

/* A wrapper that would lie in the place of its program, or NULL. */
const char *app_wrapper_in_place(const struct app *app)
{
	for (size_t i = 0; i < app->n_programs; i++) {
		const struct app_program *program = &app->programs[i];

		if (is_in_place_of(app, program->path, program->wrapper) ||
			is_in_place_of(app, program->canonical, program->wrapper))
			return program->wrapper;
	}
	return NULL;
}
