/* SPDX-License-Identifier: MIT */
/*
 * One program of one user, so that menus and shells start it through `headstart run`: what is written for that.
 *
 * A wrapper with the program's name goes to the user's folder of programs, and copies of the .desktop files
 * that start the program, with the wrapper in its place, to the user's folder of those, which is searched
 * first. The copies name the wrapper and not headstart itself: when headstart is removed from the machine,
 * which cannot clear up in everybody's home, the wrapper starts the program without it.
 *
 *	r = app_init(&app, "firefox", &places);
 *	r = app_find(&app, &problem, &subject);
 *	r = app_make_files(&app);                 and app.set is what is to be written
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/stranger.h"
#include "setup/files.h"

/* Where programs and menu entries are, for this user. All is borrowed. */
struct app_places {
	const char *path;      /* $PATH; NULL: SEARCH_DEFAULT */
	const char *data_path; /* $XDG_DATA_DIRS; NULL or "": what the Desktop Entry Specification says */
	const char *wrappers;  /* the user's folder of programs, for wrappers; absolute */
	const char *data;      /* the user's folder of data, with applications/ for menu entries; absolute */
	const struct manifest *before; /* what is written for this app already; may be empty */
	/* Called for a folder of menu entries that root passes over, since others can change it; may be NULL. */
	void (*passed_over)(const char *folder, const struct stranger *stranger);
};

struct app_program {
	char *path;      /* owned: as found in PATH */
	char *canonical; /* owned: links resolved */
	char *wrapper;   /* owned: where its wrapper goes */
};

struct app {
	struct app_places places;
	const char *name;             /* as it was given; borrowed */
	char *path;                   /* owned: `name` as an absolute path; NULL: it is none */
	struct app_program *programs; /* owned; at least one when it was found */
	size_t n_programs, capacity;
	struct file_set set; /* owned: what is to be written */
	size_t n_menus;      /* menu entries in it */
	char *obstacle;      /* owned: the subject of APP_IN_PLACE, where that is no program's wrapper */
};

enum app_problem {
	APP_GOOD = 0,
	APP_UNKNOWN,   /* there is no program and no .desktop file of that name */
	APP_CONTAINED, /* a sandbox or an emulator, the subject, starts it: in a root of its own */
	/* The program lies where its wrapper would be, at the subject: the wrapper would execute itself for ever. */
	APP_IN_PLACE,
};

/*
 * `name`: of a program, of a .desktop file, or a path of either. The caller releases *ret, on failure too. Returns 0 or
 * negative errno.
 */
int app_init(struct app *ret, const char *name, const struct app_places *places);
void app_release(struct app *app);

/*
 * Finds the programs of the app. Returns 0, with *ret_problem and, where that has one, *ret_subject, borrowed from the app; or
 * negative errno.
 */
int app_find(struct app *app, enum app_problem *ret_problem, const char **ret_subject);

/* Fills in the set: the wrapper of each program, and the menu entries that start one. Returns 0 or negative errno. */
int app_make_files(struct app *app);

/*
 * Which of two folders comes first in a list like $PATH, by whatever name: 1, 2, or 0 if neither is in it. `list` may be NULL.
 */
int app_first_folder(const char *list, const char *one, const char *two);
