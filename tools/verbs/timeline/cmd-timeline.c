/* SPDX-License-Identifier: MIT */
/* headstart timeline: draws a traced start, or writes it for other programs. */
#include "lib/options/options.h"
#include "verb.h"
#include "verbs/timeline/draw.h"

static const char help[] =
	"usage: headstart timeline [OPTION…] -o OUTPUT FILE [FILE]\n"
	"Draws what a start did over time: FILE is a timeline that 'headstart trace' has written. Of two\n"
	"files, such as a start without headstart and one with it, it also says what was gained, and where.\n"
	"\n"
	"options:\n"
	"  -o, --output OUTPUT    write to OUTPUT\n"
	"  -f, --format FORMAT    html: a page for a browser, which needs no network\n"
	"                         svg: a picture\n"
	"                         perfetto: one start for ui.perfetto.dev and chrome://tracing\n"
	"                         (default: by the ending of OUTPUT: .html, .svg or .json)\n"
	"  -h, --help             print this\n";

int cmd_timeline(int argc, char **argv)
{
	const char *output = NULL, *name = NULL;
	const struct option_row options[] = {
		{"output", 'o', .text = &output},
		{"format", 'f', .text = &name},
		{0},
	};
	int r = options_parse(argc, argv, help, options);

	if (r >= 0)
		return r;
	if (argc == optind || argc - optind > 2)
		return verb_usage(
			"timeline", argc == optind ? "no file given" : "give one file, or two to compare");
	return timeline_draw(&(struct drawing){.verb = "timeline",
		.paths = argv + optind,
		.n = (size_t)(argc - optind),
		.output = output,
		.format = name});
}
