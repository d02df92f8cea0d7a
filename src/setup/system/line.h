/* SPDX-License-Identifier: MIT */
/* The line in /etc/ld.so.preload: writes it, checks that programs still run, and reports its state. */
#pragma once

#include "setup/system/loaders.h"
#include "setup/system/preload-file.h"

struct system_line {
	const char *path;   /* of the file: PRELOAD_FILE. All three are borrowed */
	const char *name;   /* the line */
	const char *record; /* where the former content of the file is written */
};

enum system_outcome {
	SYSTEM_WRITTEN,
	SYSTEM_TAKEN_BACK, /* programs failed with the line, or it could not be written: the file is as before */
	SYSTEM_STUCK,      /* the same, and the line could not be removed: see the error */
};

/*
 * Adds the line, starts some programs, and removes the line if one fails. `before` is the file as it was when it was
 * examined. Returns 0, with *ret_outcome, or negative errno: with SYSTEM_STUCK, or as preload_file_add() with
 * SYSTEM_TAKEN_BACK.
 */
int system_line_write(const struct system_line *line, const struct preload_file *before,
	const struct loader *loaders, size_t n_loaders, enum system_outcome *ret_outcome,
	const char **ret_culprit);

enum system_state {
	SYSTEM_NOTHING = 0,
	SYSTEM_INSTALLED,
	SYSTEM_UNREADABLE, /* this user cannot read the file, so ld.so ignores it in this user's programs */
	SYSTEM_MISSING_LIBRARY, /* the line is there, but this user cannot read the library */
	SYSTEM_NOT_FOR_ALL,     /* some users cannot read the file */
};

/* `library` is the path to which the line's name leads in programs of headstart's own kind. */
enum system_state system_state_of(const struct system_line *line, const char *library);
