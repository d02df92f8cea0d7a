/* SPDX-License-Identifier: MIT */
/* Functions that the programs and the menu entries of an app share. Internal to src/setup. */
#pragma once

#include <limits.h>

#include "setup/app.h"

/*
 * Adds the program that a command would start if there were no wrappers, if there is one. Returns 0 or negative errno.
 */
int app_add_program(struct app *app, const char *command);

/* Adds the programs with the app's name. Returns 0 or negative errno. */
int app_add_named_programs(struct app *app);

/* A wrapper that would lie in the place of its program, borrowed, or NULL. */
const char *app_wrapper_in_place(const struct app *app);

/* The wrapper of the app's program that the command starts, borrowed, or NULL. */
const char *app_wrapper_for(const struct app *app, const char *command);

/*
 * Adds the program of the .desktop file at `path`, or of the one that the app is named after. Return 0 or negative
 * errno.
 */
int app_menu_add_program(struct app *app, const char *path);
int app_menus_add_program(struct app *app);

/* Adds to the set the menu entries that start a program of the app. Returns 0 or negative errno. */
int app_menus_add_files(struct app *app);

#define APP_MENU_SUFFIX ".desktop"
