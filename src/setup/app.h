/* SPDX-License-Identifier: MIT */
/*
 * Makes menus and shells start one program of one user through `headstart run`, by files that are written for it.
 *
 * A wrapper with the program's name goes to the user's folder of programs. Copies of the .desktop files that start the
 * program go to the user's folder of those, which is searched first; they start the wrapper instead. They name the
 * wrapper and not headstart itself, so that the program starts without headstart when that is removed from the machine:
 * removal cannot clean up in everybody's home.
 *
 *	r = app_init(&app, "firefox", &places);
 *	r = app_find(&app, &problem, &subject);
 *	r = app_make_files(&app);                 and app.set has the files to write
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/paths/stranger.h"
#include "setup/files.h"

/* This user's places of programs and menu entries. All is borrowed. */
struct app_places {
	const char *path; /* $PATH; NULL: SEARCH_DEFAULT */
	const char
		*data_path;   /* $XDG_DATA_DIRS; NULL or "": the default of the Desktop Entry Specification */
	const char *wrappers; /* the user's folder of programs, for wrappers; absolute */
	const char *data;     /* the user's folder of data, with applications/ for menu entries; absolute */
	const struct manifest *before; /* the files that are installed for this app already; may be empty */
	/* Called for a folder of menu entries that root ignores, because others can change it; may be NULL. */
	void (*passed_over)(const char *folder, const struct stranger *stranger);
};

struct app_program {
	char *path;      /* owned: as found in PATH */
	char *canonical; /* owned: links resolved */
	char *wrapper;   /* owned: where its wrapper goes */
};

struct app {
	struct app_places places;
	const char *name;             /* as the user gave it; borrowed */
	char *path;                   /* owned: `name` as an absolute path; NULL: it is not a path */
	struct app_program *programs; /* owned; at least one once the app is found */
	size_t n_programs, capacity;
	struct file_set set; /* owned: the files to write */
	size_t n_menus;      /* menu entries in it */
	char *obstacle;      /* owned: the subject of APP_IN_PLACE, if that is not a program's wrapper */
};

enum app_problem {
	APP_GOOD = 0,
	APP_UNKNOWN,   /* there is neither a program nor a .desktop file of that name */
	APP_CONTAINED, /* the subject, a sandbox or an emulator, starts it in a root of its own */
	/* The program lies at the subject, where its wrapper would be: the wrapper would execute itself for ever. */
	APP_IN_PLACE,
};

/*
 * `name` is the name of a program or of a .desktop file, or a path of either. The caller releases *ret, on failure too.
 * Returns 0 or negative errno.
 */
int app_init(struct app *ret, const char *name, const struct app_places *places);
void app_release(struct app *app);

/*
 * Finds the programs of the app. Returns 0, with *ret_problem and, for a problem that has one, *ret_subject, borrowed
 * from the app; or negative errno.
 */
int app_find(struct app *app, enum app_problem *ret_problem, const char **ret_subject);

/* Fills in the set: the wrapper of each program, and the menu entries that start one. Returns 0 or negative errno. */
int app_make_files(struct app *app);

/*
 * Which of two folders comes first in a list like $PATH, under any name: 1, 2, or 0 if neither is in it. `list` may be
 * NULL.
 */
int app_first_folder(const char *list, const char *one, const char *two);
