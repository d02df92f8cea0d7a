/* SPDX-License-Identifier: MIT */
/* What programs and menu entries of an app share. Internal to src/setup. */
#pragma once

#include <limits.h>

#include "setup/app.h"

/* Adds the program that a command starts, were there no wrappers; nothing if there is none. Returns 0 or negative errno. */
int app_add_program(struct app *app, const char *command);

/* Adds the programs that are called what the app is. Returns 0 or negative errno. */
int app_add_named_programs(struct app *app);

/* The wrapper that would lie where its program is, borrowed, or NULL. */
const char *app_wrapper_in_place(const struct app *app);

/* The wrapper of the app's program that the command starts, borrowed, or NULL. */
const char *app_wrapper_for(const struct app *app, const char *command);

/* Adds the program of the .desktop file at `path`, or of that which the app is named after. Return 0 or negative errno. */
int app_menu_add_program(struct app *app, const char *path);
int app_menus_add_program(struct app *app);

/* Adds to the set the menu entries that start a program of the app. Returns 0 or negative errno. */
int app_menus_add_files(struct app *app);

#define APP_MENU_SUFFIX ".desktop"
