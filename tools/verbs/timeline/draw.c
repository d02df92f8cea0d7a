/* SPDX-License-Identifier: MIT */
#include "verbs/timeline/draw.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "lib/files/output.h"
#include "replace/publish.h"
#include "report/pictures/pictures.h"
#include "verb.h"
#include "verbs/timeline/input.h"

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
static int choose_format(const struct drawing *drawing, const struct format **ret)
{
	const char *name = drawing->format, *output = drawing->output;

	for (size_t i = 0; i < N_FORMATS; i++)
		if (name ? streq(formats[i].name, name) : ends_with(output, formats[i].ending)) {
			*ret = &formats[i];
			return 0;
		}
	if (name)
		return verb_usage(drawing->verb, "unknown format '%s': use html, svg or perfetto", name);
	return verb_usage(drawing->verb,
		"the name '%s' does not say which format: use -f html, -f svg or -f perfetto", output);
}

/* The timelines that the user gave. */
struct input {
	char *const *paths; /* borrowed */
	size_t n;
	struct timeline timelines[2];
};

static void input_release(struct input *input)
{
	for (size_t i = 0; i < input->n; i++)
		timeline_release(&input->timelines[i]);
}

static int input_read(struct input *input, bool boots)
{
	for (size_t i = 0; i < input->n; i++) {
		int r = timeline_input(input->paths[i], boots, &input->timelines[i]);

		if (r)
			return r;
		output_tells_of(input->paths[i]);
	}
	return 0;
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
		r = publish_file(output, output_mode(), text, size);
	return r < 0 ? verb_fail_errno(r, "cannot write '%s'", output) : 0;
}

int timeline_draw(const struct drawing *drawing)
{
	_cleanup_(input_release) struct input input = {.paths = drawing->paths, .n = drawing->n};
	const struct format *format = NULL;
	int r;

	if (!drawing->output)
		return verb_usage(drawing->verb, "no file given to write to: use -o OUTPUT");
	r = choose_format(drawing, &format);
	if (r)
		return r;
	if (drawing->n > format->most)
		return verb_usage(drawing->verb, "'%s' shows one start: give only one file", format->name);
	r = input_read(&input, drawing->boots);
	if (r == 0)
		r = output_check(drawing->output);
	return r ? r : write_output(&input, format, drawing->output);
}
