/* SPDX-License-Identifier: MIT */
/*
 * headstart install --app: one program of one user, started from menus and shells through `headstart run`.
 *
 * A wrapper with the program's name goes to the user's folder of programs, and copies of the .desktop files
 * that start the program, with the wrapper in its place, to the user's folder of those, which is searched
 * first. The copies name the wrapper and not headstart itself: when headstart is removed from the machine,
 * which cannot clear up in everybody's home, the wrapper starts the program without it.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/quote.h"
#include "base/search.h"
#include "base/stranger.h"
#include "base/strings.h"
#include "install.h"
#include "setup/desktop.h"
#include "stranger-refusal.h"
#include "verb.h"

#define DESKTOP_MAX          (1u << 20) /* bytes of a .desktop file */
#define DESKTOP_DEPTH        4          /* folders below applications/ */
#define DESKTOP_SUFFIX       ".desktop"
#define DEFAULT_DATA_FOLDERS "/usr/local/share:/usr/share"

/* Names under which people know what distributions call otherwise. */
static const char *const aliases[][4] = {
	{"firefox", "firefox", "firefox-esr", NULL},
	{"libreoffice", "libreoffice", "soffice", NULL},
	{"chrome", "google-chrome", "google-chrome-stable", NULL},
};

struct program {
	char *path;      /* owned: as found in PATH */
	char *canonical; /* owned: links resolved */
	char *wrapper;   /* owned: where its wrapper goes */
};

struct app {
	const char *name;
	char *path;     /* owned: `name` as an absolute path; NULL: it is none */
	char *wrappers; /* owned: the folder */
	char *data;     /* owned: the user's folder of data */
	struct program *programs;
	size_t n_programs, capacity;
	struct manifest before;
	struct file_set set;
	size_t n_desktop;
};

static void app_release(struct app *app)
{
	for (size_t i = 0; i < app->n_programs; i++) {
		free(app->programs[i].path);
		free(app->programs[i].canonical);
		free(app->programs[i].wrapper);
	}
	free(app->programs);
	free(app->path);
	free(app->wrappers);
	free(app->data);
	manifest_release(&app->before);
	file_set_release(&app->set);
}

static bool same_folder(const char *a, const char *b)
{
	struct stat first, second;

	if (streq(a, b))
		return true;
	return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
		first.st_ino == second.st_ino;
}

/* Calls `each` with every part of a list with colons until it returns other than 0, which is returned. */
static int each_folder(const char *list, int (*each)(void *context, const char *folder), void *context)
{
	char folder[PATH_MAX];
	int r = 0;

	while (r == 0 && search_next(&list, folder))
		if (folder[0] == '/')
			r = each(context, folder);
	return r;
}

struct search {
	const char *name, *avoid;
	char *found; /* owned by who asked */
};

static int look_in_folder(void *context, const char *folder)
{
	struct search *search = context;
	char path[PATH_MAX];

	if (same_folder(folder, search->avoid) ||
		snprintf(path, sizeof(path), "%s/%s", folder, search->name) >= (int)sizeof(path) ||
		search_check_executable(NULL, path) < 0)
		return 0;
	search->found = strdup(path);
	return 1;
}

/* The program that a command starts, were there no wrappers. The caller frees it; NULL if there is none. */
static char *find_program(const struct app *app, const char *command)
{
	struct search search = {.name = command, .avoid = app->wrappers};
	const char *path = getenv("PATH");

	if (command[0] == '/' && search_check_executable(NULL, command) == 0)
		return strdup(command);
	if (strchr(command, '/'))
		return NULL;
	each_folder(path ? path : SEARCH_DEFAULT, look_in_folder, &search);
	return search.found;
}

static int add_program(struct app *app, const char *command)
{
	_cleanup_free_ char *path = find_program(app, command), *canonical = NULL, *wrapper = NULL;

	if (!path)
		return 0;
	canonical = realpath(path, NULL);
	if (!canonical || asprintf(&wrapper, "%s/%s", app->wrappers, strrchr(path, '/') + 1) < 0)
		return -ENOMEM;
	if (ARRAY_RESERVE(app->programs, app->capacity, app->n_programs + 1) < 0)
		return -ENOMEM;
	app->programs[app->n_programs++] =
		(struct program){TAKE_PTR(path), TAKE_PTR(canonical), TAKE_PTR(wrapper)};
	return 0;
}

static int add_named_programs(struct app *app)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		int r = 0;

		if (!streq(app->name, aliases[i][0]))
			continue;
		for (const char *const *name = aliases[i] + 1; r == 0 && *name; name++)
			r = add_program(app, *name);
		return r;
	}
	return add_program(app, app->path ? app->path : app->name);
}

/* desktop_replace: the wrapper of the app's program that the command starts. */
static const char *wrapper_for(void *context, const char *command)
{
	struct app *app = context;
	_cleanup_free_ char *path = find_program(app, command);
	_cleanup_free_ char *canonical = path ? realpath(path, NULL) : NULL;

	for (size_t i = 0; canonical && i < app->n_programs; i++)
		if (streq(app->programs[i].canonical, canonical))
			return app->programs[i].wrapper;
	return NULL;
}

static bool in_set(const struct app *app, const char *path)
{
	for (size_t i = 0; i < app->set.n_files; i++)
		if (streq(app->set.files[i].path, path))
			return true;
	return false;
}

/* One .desktop file; `id` is its path below applications/ with dashes for slashes (Desktop Entry
 * Specification). */
static int take_desktop_file(struct app *app, const char *path, const char *id)
{
	_cleanup_free_ char *text = NULL, *rewritten = NULL;
	char target[PATH_MAX];
	size_t size;
	int r;

	if (snprintf(target, sizeof(target), "%s/applications/%s", app->data, id) >= (int)sizeof(target) ||
		in_set(app, target))
		return 0;
	if (streq(path, target) && file_standing(target, &app->before) == FILE_OURS) {
		path = manifest_find(&app->before, target)->saved; /* what the user had */
		if (!path)
			return 0;
	}
	if (read_file(path, DESKTOP_MAX, &text, &size) < 0 || strlen(text) != size)
		return 0;
	r = desktop_rewrite(text, wrapper_for, app, &rewritten);
	if (r <= 0)
		return r;
	app->n_desktop++;
	size = strlen(rewritten);
	return file_set_add(&app->set, target, 0644, TAKE_PTR(rewritten), size);
}

static bool ends_with(const char *string, const char *end)
{
	size_t length = strlen(string), n = strlen(end);

	return length > n && streq(string + length - n, end);
}

static int walk_desktop_files(struct app *app, const char *folder, const char *prefix, int depth,
	int (*take)(struct app *app, const char *path, const char *id))
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
		else if (S_ISREG(st.st_mode) && ends_with(id, DESKTOP_SUFFIX))
			r = take(app, path, id);
	}
	return r;
}

struct walk {
	struct app *app;
	int (*take)(struct app *app, const char *path, const char *id);
};

static int walk_data_folder(void *context, const char *folder)
{
	struct walk *walk = context;
	struct stranger stranger;
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/applications", folder) >= (int)sizeof(path))
		return 0;
	if (stranger_to_us(path, &stranger) == -EPERM) { /* root's menus have nothing from there */
		verb_note("note: '%s' is passed over: others than root can change '%s'", path, stranger.path);
		return 0;
	}
	return walk_desktop_files(walk->app, path, "", 0, walk->take);
}

/* The user's own files first: they hide the others. */
static int walk_data_folders(struct app *app, int (*take)(struct app *app, const char *path, const char *id))
{
	struct walk walk = {app, take};
	const char *folders = getenv("XDG_DATA_DIRS");
	int r = walk_data_folder(&walk, app->data);

	return r ? r
		 : each_folder(folders && *folders ? folders : DEFAULT_DATA_FOLDERS, walk_data_folder, &walk);
}

static int take_program_of_file(struct app *app, const char *path)
{
	_cleanup_free_ char *text = NULL, *command = NULL;
	size_t size;
	int r;

	if (file_standing(path, &app->before) == FILE_OURS)
		path = manifest_find(&app->before, path)
			       ->saved; /* that of an earlier installation starts the wrapper */
	if (!path || read_file(path, DESKTOP_MAX, &text, &size) < 0)
		return 0;
	r = desktop_command(text, &command);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	r = add_program(app, command);
	return r < 0 ? r : app->n_programs > 0;
}

/* Takes the program of the .desktop file that the app is named after. */
static int take_program_of(struct app *app, const char *path, const char *id)
{
	size_t length = strlen(id) - strlen(DESKTOP_SUFFIX);

	if (!streq(id, app->name) && (strncmp(id, app->name, length) != 0 || app->name[length]))
		return 0;
	return take_program_of_file(app, path);
}

static int add_wrapper(struct app *app, const struct program *program)
{
	const char *slash = strrchr(app->name, '/');
	char *text = NULL;
	size_t size;
	FILE *out;

	if (in_set(app, program->wrapper))
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

/* Sandboxes and emulators have a root, and an ld.so, of their own: what they start cannot be reached from
 * here. */
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
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');

	return streq(slash, strrchr(wrapper, '/')) &&
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path) < (int)sizeof(folder) &&
		same_folder(folder, app->wrappers);
}

/* A wrapper where its program is would execute itself for ever. */
static int refuse_place(const char *wrapper)
{
	int r = record_refuse_owned(wrapper);

	return r
		? r
		: verb_fail(
			  "'%s' lies where its wrapper would be: move it to another folder first (nothing was "
			  "written)",
			  wrapper);
}

static int check_places(const struct app *app)
{
	for (size_t i = 0; i < app->n_programs; i++) {
		const struct program *program = &app->programs[i];

		if (is_in_place_of(app, program->path, program->wrapper) ||
			is_in_place_of(app, program->canonical, program->wrapper))
			return refuse_place(program->wrapper);
	}
	return 0;
}

static int not_found(const struct app *app)
{
	char path[PATH_MAX];

	if (!app->path &&
		snprintf(path, sizeof(path), "%s/%s", app->wrappers, app->name) < (int)sizeof(path) &&
		search_check_executable(NULL, path) == 0 && file_standing(path, &app->before) != FILE_OURS)
		return refuse_place(path);
	return verb_fail("there is no program and no .desktop file '%s'", app->name);
}

static int find_app(struct app *app)
{
	int r = add_named_programs(app);

	if (r == 0 && app->n_programs == 0 && app->path && ends_with(app->path, DESKTOP_SUFFIX))
		r = take_program_of_file(app, app->path);
	if (r == 0 && app->n_programs == 0)
		r = walk_data_folders(app, take_program_of);
	if (r < 0)
		return verb_fail_errno(r, "cannot look for '%s'", app->name);
	if (app->n_programs == 0)
		return not_found(app);
	if (container_tool(app))
		return verb_fail("'%s' is started by %s, in a root of its own that headstart does not reach",
			app->name, container_tool(app));
	return check_places(app);
}

static int make_set(struct app *app)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < app->n_programs; i++)
		r = add_wrapper(app, &app->programs[i]);
	if (r == 0)
		r = walk_data_folders(app, take_desktop_file);
	return r < 0 ? verb_fail_errno(r, "cannot prepare the files of '%s'", app->name) : 0;
}

static int find_position(void *context, const char *folder)
{
	struct search *search = context;

	return same_folder(folder, search->name) ? 1 : same_folder(folder, search->avoid) ? 2 : 0;
}

/* Says so where a shell would not find the wrapper, or the program first. */
static void check_path(const struct app *app)
{
	_cleanup_free_ char *folder = strdup(app->programs[0].path);
	struct search search = {.name = app->wrappers, .avoid = folder};
	const char *path = getenv("PATH");
	int first;

	if (!folder || !path)
		return;
	*strrchr(folder, '/') = '\0';
	first = each_folder(path, find_position, &search);
	if (first == 1)
		return;
	verb_note(
		"note: '%s' is not in PATH before '%s': shells start the program without headstart until "
		"it is",
		app->wrappers, folder);
}

/* ~/.local/bin (file-hierarchy(7)), unless only ~/bin is in PATH. */
static int choose_wrapper_folder(char **ret)
{
	_cleanup_free_ char *standard = NULL, *other = NULL;
	struct search search = {0};
	const char *path = getenv("PATH");
	int r = user_folder(NULL, ".local/bin", &standard);

	if (r == 0)
		r = user_folder(NULL, "bin", &other);
	if (r)
		return r;
	search.name = standard;
	search.avoid = other;
	*ret = path && each_folder(path, find_position, &search) == 2 ? TAKE_PTR(other) : TAKE_PTR(standard);
	return 0;
}

/* What is in the folder one is in now is written down for ever. */
static int absolute_path(const char *name, char **ret)
{
	_cleanup_free_ char *folder = NULL;

	if (!strchr(name, '/'))
		return 0;
	folder = name[0] == '/' ? strdup("") : getcwd(NULL, 0);
	while (strncmp(name, "./", 2) == 0)
		name += 2;
	if (!folder || asprintf(ret, "%s%s%s", folder, name[0] == '/' ? "" : "/", name) < 0)
		return verb_fail_errno(errno, "cannot look for '%s'", name);
	return 0;
}

/* Where the menu entries go, and where those are read first that the user has. */
static int refuse_strange_menus(const struct app *app)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/applications", app->data);
	return refuse_stranger(path, "root reads and writes no menu entries there");
}

int install_app(const struct install_request *request)
{
	_cleanup_(app_release) struct app app = {.name = request->app};
	_cleanup_free_ char *record = NULL, *path = NULL;
	int r = record_name_of_app(request->app, &record);

	if (r == 0)
		r = absolute_path(request->app, &app.path);
	if (r == 0)
		r = choose_wrapper_folder(&app.wrappers);
	if (r == 0)
		r = user_folder("XDG_DATA_HOME", ".local/share", &app.data);
	if (r == 0)
		r = refuse_strange_menus(&app);
	if (r == 0)
		r = record_path(record, &path);
	if (r == 0)
		r = record_load(path, &app.before);
	if (r == 0)
		r = find_app(&app);
	if (r == 0)
		r = make_set(&app);
	if (r == 0)
		r = install_set(request, record, &app.set);
	if (r)
		return r;
	if (app.n_desktop == 0)
		verb_note("note: no .desktop file starts '%s': menus are as they were", app.programs[0].path);
	check_path(&app);
	return 0;
}
