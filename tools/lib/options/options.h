/* SPDX-License-Identifier: MIT */
/* The options of a verb, as a table of their names and of where their values go. */
#pragma once

#include <stdbool.h>

/* Takes the value of an option. Returns 0, or an exit status after printing why it cannot. */
typedef int option_fn(const char *verb, const char *value, void *to);

struct option_row {
	const char *name;  /* "output" for --output; NULL ends the table */
	char letter;       /* 'o' for -o; 0: it has none */
	bool *flag;        /* of an option without a value: becomes true */
	const char **text; /* of one with a value: becomes the value, which lies in argv */
	option_fn *take;   /* of one whose value is parsed, into `to` */
	void *to;
	bool optional; /* the value may be left out: take() gets NULL */
};

#define OPTIONS_MAX 30 /* rows of a table */

/*
 * Carries out the options of the verb argv[0], wherever they stand, and prints the help for -h and --help. Returns -1 to go
 * on, with the operands at argv[optind], or the exit status.
 */
int options_parse(int argc, char **argv, const char *help, const struct option_row *rows);

/* The same if the operands are a command, whose options are its own. */
int options_parse_before_command(int argc, char **argv, const char *help, const struct option_row *rows);
