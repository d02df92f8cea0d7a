/* SPDX-License-Identifier: MIT */
/* The line in /etc/ld.so.preload: written with a look at whether programs still run, and what is to be seen of it. */
#pragma once

#include "setup/system/loaders.h"
#include "setup/system/preload-file.h"

struct system_line {
	const char *path;   /* of the file: PRELOAD_FILE; all is borrowed */
	const char *name;   /* the line */
	const char *record; /* what the file was is written there */
};

enum system_outcome {
	SYSTEM_WRITTEN,
	SYSTEM_TAKEN_BACK, /* programs failed with the line: the file is what it was */
	SYSTEM_STUCK,      /* they failed, and it could not be taken back: what is returned says why */
};

/*
 * Adds the line, starts some programs, and takes the line back if one fails. `before` is what the file was when it was looked at.
 * Returns 0, with *ret_outcome, or negative errno: with SYSTEM_STUCK, or as preload_file_add() with SYSTEM_TAKEN_BACK.
 */
int system_line_write(const struct system_line *line, const struct preload_file *before,
	const struct loader *loaders, size_t n_loaders, enum system_outcome *ret_outcome,
	const char **ret_culprit);

enum system_state {
	SYSTEM_NOTHING = 0,
	SYSTEM_INSTALLED,
	SYSTEM_UNREADABLE,      /* this user cannot read the file, nor can ld.so in this user's programs */
	SYSTEM_MISSING_LIBRARY, /* the line is there, and this user cannot read the library */
	SYSTEM_NOT_FOR_ALL,     /* some users cannot read the file */
};

/* `library` is where the line's name leads in programs of the kind that headstart is. */
enum system_state system_state_of(const struct system_line *line, const char *library);
