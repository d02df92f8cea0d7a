/* SPDX-License-Identifier: MIT */
/* headstart install --app: takes the user's request to setup/app.h, and prints the result. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "base/strings.h"
#include "lib/files/stranger-refusal.h"
#include "plan/store/store.h"
#include "setup/app.h"
#include "verb.h"
#include "verbs/install/install.h"

static void note_passed_over(const char *folder, const struct stranger *stranger)
{
	verb_note("ignored '%s', because others than root can change '%s'", folder, stranger->path);
}

/* ~/.local/bin (file-hierarchy(7)), unless only ~/bin is in PATH. */
static int choose_wrapper_folder(char **ret)
{
	_cleanup_free_ char *standard = NULL, *other = NULL;
	int r = user_folder(NULL, ".local/bin", &standard);

	if (r == 0)
		r = user_folder(NULL, "bin", &other);
	if (r)
		return r;
	*ret = app_first_folder(getenv("PATH"), standard, other) == 2 ? TAKE_PTR(other) : TAKE_PTR(standard);
	return 0;
}

/* Where the menu entries go, and where the user's existing ones are read first. */
static int refuse_strange_menus(const char *data)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/applications", data);
	return refuse_stranger(path, "root reads and writes no menu entries there");
}

static int refuse_place(const char *wrapper)
{
	_cleanup_(record_clash_releasep) struct record_clash clash = {0};
	_cleanup_free_ char *folder = NULL;
	int r = install_folder(&folder);

	if (r)
		return r;
	r = record_check_file(folder, wrapper, &clash);
	if (r < 0)
		return install_refuse_clash(r, &clash);
	return verb_fail(
		"'%s' lies where its wrapper would be: move it to another folder first (nothing was written)",
		wrapper);
}

static int refuse_unknown(const struct app *app)
{
	if (strchr(app->name, '/'))
		return verb_fail("'%s' is neither a program nor a menu entry of one", app->name);
	if (ends_with(app->name, ".desktop"))
		return verb_fail("there is no menu entry '%s' whose program is installed", app->name);
	return verb_fail("there is neither a program '%s' in PATH nor a menu entry '%s.desktop'", app->name,
		app->name);
}

static int find_app(struct app *app)
{
	enum app_problem problem;
	const char *subject;
	int r = app_find(app, &problem, &subject);

	if (r < 0)
		return verb_fail_errno(r, "cannot look for '%s'", app->name);
	switch (problem) {
	case APP_GOOD:
		break;
	case APP_UNKNOWN:
		return refuse_unknown(app);
	case APP_CONTAINED:
		return verb_fail("'%s' is started by %s, in a root of its own that headstart does not reach",
			app->name, subject);
	case APP_IN_PLACE:
		return refuse_place(subject);
	}
	r = app_make_files(app);
	return r < 0 ? verb_fail_errno(r, "cannot prepare the files of '%s'", app->name) : 0;
}

/* Warns if a shell would not find the wrapper, or would find the program first. */
static void check_path(const struct app *app)
{
	_cleanup_free_ char *folder = strdup(app->programs[0].path);

	if (!folder || !app->places.path)
		return;
	*strrchr(folder, '/') = '\0';
	if (app_first_folder(app->places.path, app->places.wrappers, folder) != 1)
		verb_note(
			"'%s' is not in PATH before '%s': shells start the program without headstart "
			"until 'export PATH=%s:$PATH' is in ~/.profile",
			app->places.wrappers, folder, app->places.wrappers);
}

/* Whether an earlier program is the same file. */
static bool is_again(const struct app *app, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (streq(app->programs[i].canonical, app->programs[n].canonical))
			return true;
	return false;
}

/*
 * The wrapper does nothing until there is a plan, which an ordinary user can also make of somebody else's profile. What has a menu entry
 * opens a window, and so does not end by itself.
 */
static void check_plans(const struct app *app)
{
	for (size_t i = 0; i < app->n_programs; i++) {
		const char *program = app->programs[i].canonical;
		_cleanup_free_ char *plan = NULL, *profile = NULL, *word = quoted_shell(program);

		if (!word || is_again(app, i) || store_find(STORE_PLAN, program, &plan) == 0 ||
			store_find(STORE_PROFILE, program, &profile) == 0)
			continue;
		verb_note(
			"there is no plan for '%s', so nothing is read ahead yet: type "
			"'sudo headstart record %s-- %s', or 'headstart plan FILE' with a profile from elsewhere",
			program, app->n_menus > 0 ? "--until idle:3 --kill " : "", word);
	}
}

static int install_found(const struct install_request *request, const char *record, struct app *app)
{
	int r = find_app(app);

	if (r == 0)
		r = install_set(request, record, &app->set);
	if (r)
		return r;
	if (app->n_menus == 0)
		verb_note("no .desktop file starts '%s': menus stay as they are", app->programs[0].path);
	check_path(app);
	check_plans(app);
	return 0;
}

int install_app(const struct install_request *request)
{
	_cleanup_(app_release) struct app app = {0};
	_cleanup_(manifest_releasep) struct manifest before = {0};
	_cleanup_free_ char *record = NULL, *path = NULL, *wrappers = NULL, *data = NULL;
	int r = install_record_name(request->app, &record);

	if (r == 0)
		r = choose_wrapper_folder(&wrappers);
	if (r == 0)
		r = user_folder("XDG_DATA_HOME", ".local/share", &data);
	if (r == 0)
		r = refuse_strange_menus(data);
	if (r == 0)
		r = install_record_load(record, &path, &before);
	if (r)
		return r;
	r = app_init(&app, request->app,
		&(struct app_places){
			.path = getenv("PATH"),
			.data_path = getenv("XDG_DATA_DIRS"),
			.wrappers = wrappers,
			.data = data,
			.before = &before,
			.passed_over = note_passed_over,
		});
	return r < 0 ? verb_fail_errno(r, "cannot look for '%s'", request->app)
		     : install_found(request, record, &app);
}
