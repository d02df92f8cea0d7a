/* SPDX-License-Identifier: MIT */
/* headstart report: says where the time of a traced start went. */
#include <stdint.h>

#include "lib/options/values.h"
#include "verb.h"
#include "verbs/timeline/print.h"

static const char help[] =
	"usage: headstart report [OPTION…] FILE\n"
	"Shows where the time of a start went: FILE is a timeline that 'headstart trace' has written.\n"
	"\n"
	"options:\n"
	"      --json     print everything as one JSON object\n"
	"  -n, --rows N   print no more than N processes, files and waits (default: 20)\n"
	"  -a, --all      print all of them\n"
	"  -h, --help     print this\n";

int cmd_report(int argc, char **argv)
{
	size_t rows = 20;
	bool json = false, all = false;
	const struct option_row options[] = {
		{"json", .flag = &json},
		{"rows", 'n', .take = option_take_rows, .to = &rows},
		{"all", 'a', .flag = &all},
		{0},
	};
	int status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (argc - optind != 1)
		return argc == optind ? verb_usage("report", "no file given")
				      : verb_usage("report", "unexpected argument '%s'", argv[optind + 1]);
	return timeline_print(argv[optind], false, json, all ? SIZE_MAX : rows);
}
