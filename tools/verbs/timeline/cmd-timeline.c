/* SPDX-License-Identifier: MIT */
/* headstart timeline: draws a traced start, or writes it for other programs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "lib/files/output.h"
#include "lib/options/options.h"
#include "replace/publish.h"
#include "report/pictures/pictures.h"
#include "verb.h"
#include "verbs/timeline/input.h"

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

struct format {
	const char *name, *ending;
	size_t most; /* starts */
	int (*write)(FILE *out, const struct timeline *timelines, size_t n);
};

static const struct format formats[] = {
	{"html", ".html", 2, report_timeline_page},
	{"svg", ".svg", 2, report_timeline_svg},
	{"perfetto", ".json", 1, report_timeline_perfetto},
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
		return verb_usage("timeline", "unknown format '%s': use html, svg or perfetto", name);
	return verb_usage("timeline",
		"the name '%s' does not say which format: use -f html, -f svg or -f perfetto", output);
}

/* The timelines that the user gave. */
struct input {
	char **paths; /* borrowed */
	size_t n;
	struct timeline timelines[2];
};

static void input_release(struct input *input)
{
	for (size_t i = 0; i < input->n; i++)
		timeline_release(&input->timelines[i]);
}

static int input_read(struct input *input)
{
	for (size_t i = 0; i < input->n; i++) {
		int r = timeline_input(input->paths[i], &input->timelines[i]);

		if (r)
			return r;
	}
	return 0;
}

/* The output is for nobody who may not read all of the input. */
static mode_t mode_of(const struct input *input)
{
	mode_t mode = output_mode();
	struct stat status;

	for (size_t i = 0; i < input->n; i++)
		mode &= stat(input->paths[i], &status) < 0 ? 0600 : (status.st_mode & 0044) | 0600;
	return mode;
}

static int write_output(const struct input *input, const struct format *format, const char *output)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int r = out ? format->write(out, input->timelines, input->n) : -ENOMEM;

	if (out && (ferror(out) | fclose(out)) && r == 0)
		r = -ENOMEM;
	if (r == 0)
		r = publish_file(output, mode_of(input), text, size);
	return r < 0 ? verb_fail_errno(r, "cannot write '%s'", output) : 0;
}

int cmd_timeline(int argc, char **argv)
{
	_cleanup_(input_release) struct input input = {0};
	const char *output = NULL, *name = NULL;
	const struct format *format = NULL;
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
	if (!output)
		return verb_usage("timeline", "no file given to write to: use -o OUTPUT");
	r = choose_format(name, output, &format);
	if (r)
		return r;
	if ((size_t)(argc - optind) > format->most)
		return verb_usage("timeline", "'%s' shows one start: give only one file", format->name);
	input.paths = argv + optind;
	input.n = (size_t)(argc - optind);
	r = input_read(&input);
	if (r == 0)
		r = output_check(output);
	return r ? r : write_output(&input, format, output);
}
