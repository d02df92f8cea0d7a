/* SPDX-License-Identifier: MIT */
/* headstart timeline: draws a traced start, or writes it for other programs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "lib/output.h"
#include "replace/publish.h"
#include "report/timeline-export.h"
#include "verb.h"
#include "verbs/timeline/input.h"

static const char help[] =
	"usage: headstart timeline [OPTION…] -o OUTPUT FILE\n"
	"Draws what a start did over time: FILE is a timeline that 'headstart trace' has written.\n"
	"\n"
	"options:\n"
	"  -o, --output OUTPUT    write to OUTPUT\n"
	"  -f, --format FORMAT    html: a page for a browser, which needs no network\n"
	"                         perfetto: for ui.perfetto.dev and chrome://tracing\n"
	"                         (default: html for OUTPUT.html, perfetto for OUTPUT.json)\n"
	"  -h, --help             print this\n";

struct format {
	const char *name, *ending;
	int (*write)(FILE *out, const struct timeline *timeline);
};

static const struct format formats[] = {
	{"html", ".html", report_timeline_page},
	{"perfetto", ".json", report_timeline_perfetto},
};

#define N_FORMATS (sizeof(formats) / sizeof(*formats))

/* Returns 0, or an exit status after printing the reason. */
static int choose_format(const char *name, const char *output, const struct format **ret)
{
	for (size_t i = 0; i < N_FORMATS; i++)
		if (name ? streq(formats[i].name, name) : ends_with(output, formats[i].ending)) {
			*ret = &formats[i];
			return 0;
		}
	if (name)
		return verb_usage("timeline", "unknown format '%s': use html or perfetto", name);
	return verb_usage(
		"timeline", "the name '%s' does not say which format: use -f html or -f perfetto", output);
}

/* The output is for nobody who may not read the input. */
static mode_t mode_of(const char *input)
{
	struct stat status;

	return stat(input, &status) < 0 ? 0600 : (status.st_mode & 0044) | 0600;
}

static int write_output(
	const struct timeline *timeline, const struct format *format, const char *output, mode_t mode)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int r = out ? format->write(out, timeline) : -ENOMEM;

	if (out && (ferror(out) | fclose(out)) && r == 0)
		r = -ENOMEM;
	if (r == 0)
		r = publish_file(output, mode, text, size);
	return r < 0 ? verb_fail_errno(r, "cannot write '%s'", output) : 0;
}

int cmd_timeline(int argc, char **argv)
{
	static const struct option longs[] = {
		{"output", required_argument, NULL, 'o'},
		{"format", required_argument, NULL, 'f'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	const char *output = NULL, *name = NULL;
	const struct format *format = NULL;
	int c, r;

	while ((c = verb_option(argc, argv, ":o:f:h", longs)) != -1) {
		switch (c) {
		case 'o':
			output = optarg;
			break;
		case 'f':
			name = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			return VERB_USAGE;
		}
	}
	if (argc - optind != 1)
		return verb_usage("timeline", argc == optind ? "no file given" : "give only one file");
	if (!output)
		return verb_usage("timeline", "no file given to write to: use -o OUTPUT");
	r = choose_format(name, output, &format);
	if (r == 0)
		r = timeline_input(argv[optind], &timeline);
	if (r == 0)
		r = output_check(output);
	return r ? r : write_output(&timeline, format, output, mode_of(argv[optind]));
}
