/* SPDX-License-Identifier: MIT */
#include "lib/options/options.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "lib/options/suggest.h"
#include "verb.h"

#define LONG_ONLY 256 /* what getopt_long(3) returns for the first row, if that has no letter */

/* `culprit`, of which options are `longs`, is unknown. */
static int refuse_option(const char *verb, const char *culprit, const struct option *longs)
{
	_cleanup_free_ char *name = strndup(culprit + 2, strcspn(culprit + 2, "="));
	struct suggestion suggestion = {.word = name};

	if (name && strncmp(culprit, "--", 2) == 0)
		for (; longs->name; longs++)
			suggestion_offer(&suggestion, longs->name);
	if (suggestion.nearest)
		return verb_usage(
			verb, "unknown option '%s' (did you mean '--%s'?)", culprit, suggestion.nearest);
	return verb_usage(verb, "unknown option '%s'", culprit);
}

static int value_of(const struct option_row *rows, const struct option_row *row)
{
	return row->letter ? row->letter : LONG_ONLY + (int)(row - rows);
}

/* The table as getopt_long(3) wants it. */
static void translate(const struct option_row *rows, struct option *longs, char *shorts)
{
	for (const struct option_row *row = rows; row->name; row++) {
		int argument = row->flag ? no_argument
			: row->optional  ? optional_argument
					 : required_argument;

		assert(row - rows < OPTIONS_MAX);
		*longs++ = (struct option){row->name, argument, NULL, value_of(rows, row)};
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
	const char *culprit;
	int option;

	strcpy(shorts, prefix);
	translate(rows, longs, shorts + strlen(prefix));
	while ((option = verb_getopt(argc, argv, shorts, longs, &culprit)) != -1) {
		const struct option_row *row = rows;
		int status;

		if (option == 'h')
			return fputs(help, stdout) < 0 ? VERB_FAILED : 0;
		if (option == ':')
			return verb_usage(argv[0], "option '%s' needs a value", culprit);
		if (option == '?')
			return refuse_option(argv[0], culprit, longs);
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
