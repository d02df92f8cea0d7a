/* SPDX-License-Identifier: MIT */
/*
 * The self-test of a text for /etc/ld.so.preload: programs of many kinds are run without it and with it, and
 * must do exactly the same. The text is laid over the real file in a mount namespace that ends with the test:
 * nobody else sees it, whatever happens.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "setup/system/loaders.h"
#include "setup/system/preload-file.h"

struct battery {
	const struct preload_file *before; /* the real file as it is */
	const char *text;                  /* what is to be tried in its place */
	size_t size;
	const char *library; /* the end of the path of the library that must get loaded; NULL: none in
				particular */
	const struct loader *loaders;
	size_t n_loaders;
	const char *self_test; /* the path of headstart-self-test */
	void (*progress)(void *context, const char *name, size_t done, size_t of); /* NULL: nobody asks */
	void *context;
};

/*
 * Runs it; needs root. *ret_tried is how many programs were there to try. *ret_difference, malloc()ed, is the
 * caller's: NULL if all did the same; else a sentence without an end that says which program, and what
 * differs. Returns 0; -EOPNOTSUPP if the file does not exist and there is no overlayfs to have it seem to; or
 * negative errno if the test could not be done.
 */
int battery_run(const struct battery *battery, size_t *ret_tried, char **ret_difference);

/* The first of its programs, with the files as they are: whether they still run, and say nothing on standard
 * error. */
bool battery_machine_works(const struct loader *loaders, size_t n_loaders);
