/* SPDX-License-Identifier: MIT */
/* headstart report: says what the time of a traced start went to. */
#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "lib/page-style.h"
#include "report/timeline-report.h"
#include "verb.h"
#include "verbs/timeline/input.h"

static const char help[] =
	"usage: headstart report [OPTION…] FILE\n"
	"Says what the time of a start went to: FILE is a timeline that 'headstart trace' has written.\n"
	"\n"
	"options:\n"
	"      --json     print everything as one JSON object\n"
	"  -n, --rows N   print no more than N processes, files and waits (default: 20)\n"
	"  -a, --all      print all of them\n"
	"  -h, --help     print this\n";

static int print(const char *path, bool json, size_t rows)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	struct report_style style = page_style(rows);
	int r = timeline_input(path, &timeline);

	if (r)
		return r;
	r = json ? report_timeline_json(stdout, &timeline) : report_timeline_text(stdout, &timeline, &style);
	if (r < 0)
		return verb_fail_errno(r, "cannot print everything");
	if (fflush(stdout) != 0 || ferror(stdout))
		return verb_fail_errno(errno, "cannot write to standard output");
	return 0;
}

int cmd_report(int argc, char **argv)
{
	static const struct option longs[] = {
		{"json", no_argument, NULL, 'j'},
		{"rows", required_argument, NULL, 'n'},
		{"all", no_argument, NULL, 'a'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	unsigned long long rows = 20;
	bool json = false;
	int c;

	while ((c = verb_option(argc, argv, ":n:ah", longs)) != -1) {
		switch (c) {
		case 'j':
			json = true;
			break;
		case 'n':
			if (!verb_parse_u64(optarg, &rows))
				return verb_usage("report", "'%s' is not a number of rows", optarg);
			break;
		case 'a':
			rows = SIZE_MAX;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			return VERB_USAGE;
		}
	}
	if (argc - optind != 1)
		return verb_usage("report", argc == optind ? "no file given" : "give only one file");
	return print(argv[optind], json, (size_t)rows);
}
