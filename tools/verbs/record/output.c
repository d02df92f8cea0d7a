/* SPDX-License-Identifier: MIT */
/*
 * Root records what a user has typed under sudo. In a folder of that user, a file of root's would be one that the user may not read, or one
 * that everybody may.
 */
#include "verbs/record/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "record/command/as-user.h"

struct writing {
	int (*write)(const void *what, const char *path);
	const void *what;
	const char *path;
};

/* Runs in a process that has become the user. */
static int write_own(void *context)
{
	const struct writing *writing = context;

	return writing->write(writing->what, writing->path) < 0 ? 1 : 0;
}

int record_write_output(const char *user, const char *output,
	int (*write)(const void *what, const char *path), const void *what)
{
	_cleanup_free_ char *folder = user && output[0] != '/' ? getcwd(NULL, 0) : NULL;
	_cleanup_free_ char *path = NULL;

	if (user && (folder || output[0] == '/')) {
		if (asprintf(&path, "%s%s%s", folder ? folder : "", folder ? "/" : "", output) < 0)
			return -ENOMEM;
		if (as_user(user, write_own, &(struct writing){write, what, path}) == 0)
			return 0;
	}
	return write(what, output);
}
