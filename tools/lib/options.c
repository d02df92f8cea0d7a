/* SPDX-License-Identifier: MIT */
#include "lib/options.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "verb.h"

#define LONG_ONLY 256 /* what getopt_long(3) returns for the first row, if that has no letter */

static int value_of(const struct option_row *rows, const struct option_row *row)
{
	return row->letter ? row->letter : LONG_ONLY + (int)(row - rows);
}

/* The table as getopt_long(3) wants it. */
static void translate(const struct option_row *rows, struct option *longs, char *shorts)
{
	for (const struct option_row *row = rows; row->name; row++) {
		assert(row - rows < OPTIONS_MAX);
		*longs++ = (struct option){
			row->name, row->flag ? no_argument : required_argument, NULL, value_of(rows, row)};
		if (!row->letter)
			continue;
		*shorts++ = row->letter;
		if (!row->flag)
			*shorts++ = ':';
	}
	*longs++ = (struct option){"help", no_argument, NULL, 'h'};
	*longs = (struct option){0};
	strcpy(shorts, "h");
}

static int take(const struct option_row *row, const char *verb)
{
	if (row->flag)
		*row->flag = true;
	else if (row->text)
		*row->text = optarg;
	else
		return row->take(verb, optarg, row->to);
	return 0;
}

static int parse(int argc, char **argv, const char *help, const struct option_row *rows, const char *prefix)
{
	char shorts[sizeof("+:h") + 2 * OPTIONS_MAX];
	struct option longs[OPTIONS_MAX + 2];
	int option;

	strcpy(shorts, prefix);
	translate(rows, longs, shorts + strlen(prefix));
	while ((option = verb_option(argc, argv, shorts, longs)) != -1) {
		const struct option_row *row = rows;
		int status;

		if (option == 'h')
			return fputs(help, stdout) < 0 ? VERB_FAILED : 0;
		if (option == '?')
			return VERB_USAGE;
		while (value_of(rows, row) != option)
			row++;
		status = take(row, argv[0]);
		if (status)
			return status;
	}
	return -1;
}

int options_parse(int argc, char **argv, const char *help, const struct option_row *rows)
{
	return parse(argc, argv, help, rows, ":");
}

int options_parse_before_command(int argc, char **argv, const char *help, const struct option_row *rows)
{
	return parse(argc, argv, help, rows, "+:");
}
