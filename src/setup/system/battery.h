/* SPDX-License-Identifier: MIT */
/*
 * The self-test of a text for /etc/ld.so.preload: it runs programs of many kinds without the text and with it, and they
 * must do exactly the same. The text is laid over the real file in a mount namespace that ends with the test, so no
 * other process ever sees it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "setup/system/loaders.h"
#include "setup/system/preload-file.h"

struct battery {
	const struct preload_file *before; /* the real file as it is */
	const char *text;                  /* the text to try in its place */
	size_t size;
	const char *library; /* end of the path of a library that must get loaded, or NULL */
	const struct loader *loaders;
	size_t n_loaders;
	const char *self_test; /* the path of headstart-self-test */
	void (*progress)(void *context, const char *name, size_t done, size_t of); /* may be NULL */
	void *context;
};

/*
 * Runs the self-test, as root. *ret_tried is the number of programs that could be tried. *ret_difference, malloc()ed,
 * is the caller's: NULL if all did the same, else a sentence without a full stop that names the program and the
 * difference. Returns 0; -EOPNOTSUPP if the file does not exist and there is no overlayfs to make it seem to; or
 * negative errno if the test could not be done.
 */
int battery_run(const struct battery *battery, size_t *ret_tried, char **ret_difference);

/*
 * Runs the first programs of the self-test with the files as they are. Returns whether they still run and print nothing
 * on standard error.
 */
bool battery_machine_works(const struct loader *loaders, size_t n_loaders);
