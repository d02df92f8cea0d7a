/* SPDX-License-Identifier: MIT */
/* headstart mark: ends the start that is being recorded. */
#include <errno.h>
#include <stdlib.h>

#include "lib/options/options.h"
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
			"which recording? %s is not set, and no name was given: type 'headstart mark NAME', with the name that 'headstart record --until mark' printed",
			MARK_VARIABLE);
	err = mark_send(recording);
	if (err == -ECONNREFUSED && quiet)
		return 0;
	if (err == -ECONNREFUSED)
		return verb_fail("there is no recording '%s'", recording);
	return err ? verb_fail_errno(err, "cannot mark the recording '%s'", recording) : 0;
}

int cmd_mark(int argc, char **argv)
{
	bool quiet = false;
	const struct option_row options[] = {{"quiet", 'q', .flag = &quiet}, {0}};
	int status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (argc - optind > 1)
		return verb_usage("mark", "unexpected argument '%s': give one recording", argv[optind + 1]);
	return mark(optind < argc ? argv[optind] : getenv(MARK_VARIABLE), quiet);
}
