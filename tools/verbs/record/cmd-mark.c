/* SPDX-License-Identifier: MIT */
/* headstart mark: ends the start that is being recorded. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/mark.h"
#include "verb.h"

static const char help[] =
	"usage: headstart mark [OPTION…] [RECORDING]\n"
	"Ends a recording that waits for a mark. RECORDING is the name that 'headstart\n"
	"record' printed. The recorded command need not give it.\n"
	"\n"
	"options:\n"
	"  -q, --quiet  if nothing is being recorded, do nothing and succeed\n"
	"  -h, --help   print this\n";

static int mark(const char *recording, int quiet)
{
	int err;

	if (!recording && quiet)
		return 0;
	if (!recording)
		return verb_fail(
			"nothing is being recorded: %s is not set, and no name was given", MARK_VARIABLE);
	err = mark_send(recording);
	if (err == -ECONNREFUSED && quiet)
		return 0;
	if (err == -ECONNREFUSED)
		return verb_fail("there is no recording '%s'", recording);
	return err ? verb_fail_errno(err, "cannot mark the recording '%s'", recording) : 0;
}

int cmd_mark(int argc, char **argv)
{
	static const struct option longs[] = {
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int c, quiet = 0;

	while ((c = verb_option(argc, argv, ":qh", longs)) != -1) {
		switch (c) {
		case 'q':
			quiet = 1;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			return VERB_USAGE;
		}
	}
	if (argc - optind > 1)
		return verb_usage("mark", "unexpected argument '%s': give one recording", argv[optind + 1]);
	return mark(optind < argc ? argv[optind] : getenv(MARK_VARIABLE), quiet);
}
