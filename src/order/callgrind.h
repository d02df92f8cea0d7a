/* SPDX-License-Identifier: MIT */
/*
 * Reads what `valgrind --tool=callgrind` writes (Callgrind Format Specification, in valgrind's manual): which functions ran.
 * callgrind numbers functions as it meets them, so the numbers are in the order of first calls. The file may be hostile.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "profile/functions.h"

struct callgrind_function {
	uint64_t number;
	const char *name;   /* borrowed from the text; NULL: none was given */
	const char *object; /* likewise; the path of an ELF file, or "???" */
};

struct callgrind {
	char *text;                           /* owned */
	const char *command;                  /* borrowed from it; "" if there is none */
	struct callgrind_function *functions; /* owned; ascending by number, each once */
	size_t n_functions, capacity;
};

/*
 * Takes the text over, of which each line becomes a string. Returns 0; -EBADMSG if it is none of callgrind's, with the
 * number of the line at *ret_line; or -ENOMEM. *ret is the caller's to release in any case.
 */
int callgrind_parse(char *text, struct callgrind *ret, size_t *ret_line);
void callgrind_release(struct callgrind *callgrind);

static inline void callgrind_releasep(struct callgrind *callgrind)
{
	callgrind_release(callgrind);
}

struct callgrind_summary {
	size_t unknown;           /* functions of these files that their symbols do not have */
	size_t unread;            /* files that cannot be read, or have no symbols */
	const char *first_unread; /* borrowed */
};

/*
 * Adds the functions that are in the symbols of their files, in their order. Static functions of one name are taken
 * together. *ret_program is the file of main(), NULL if there is none, borrowed. Returns 0 or negative errno.
 */
int callgrind_functions(const struct callgrind *callgrind, const char *debug_folder,
	struct profile_functions *functions, const char **ret_program, struct callgrind_summary *ret);
