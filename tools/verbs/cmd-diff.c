/* SPDX-License-Identifier: MIT */
/* headstart diff: compares two profiles, or a profile with the files on disk. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "lib/files/input.h"
#include "lib/options/values.h"
#include "lib/print/page-style.h"
#include "profile/compare/difference.h"
#include "report/profiles/difference.h"
#include "verb.h"

static const char help[] =
	"usage: headstart diff [OPTION…] PROFILE|PROGRAM [PROFILE|PROGRAM]\n"
	"Compares two profiles: which files the starts touched, and how much of them. Of one profile, says\n"
	"which of its files have changed since.\n"
	"\n"
	"options:\n"
	"      --json     print everything as one JSON object\n"
	"  -n, --files N  print no more than N files (default: 20)\n"
	"  -a, --all      print all files that differ\n"
	"  -h, --help     print this\n";

struct diff_options {
	bool json;
	size_t rows;
};

static int print(const struct difference *difference, const struct difference_names *names,
	const struct diff_options *options)
{
	struct report_style style = page_style(options->rows);
	int r = options->json ? report_difference_json(stdout, difference, names)
			      : report_difference_text(stdout, difference, names, &style);

	return verb_flush_report(r);
}

static int diff_with_disk(const char *name, const struct diff_options *options)
{
	_cleanup_(profile_releasep) struct profile profile = {0};
	_cleanup_(difference_releasep) struct difference difference = {0};
	int r = input_profile(name, &profile);

	if (r)
		return r;
	r = difference_from_disk(&profile, &difference);
	if (r < 0)
		return verb_fail_errno(r, "cannot compare '%s'", name);
	return print(&difference, &(struct difference_names){profile.program, name, NULL, NULL}, options);
}

static int diff_profiles(char **names, const struct diff_options *options)
{
	_cleanup_(profile_releasep) struct profile a = {0}, b = {0};
	_cleanup_(difference_releasep) struct difference difference = {0};
	int r = input_profile(names[0], &a);

	if (r == 0)
		r = input_profile(names[1], &b);
	if (r)
		return r;
	r = difference_of_profiles(&a, &b, &difference);
	if (r == -EINVAL)
		return verb_fail("'%s' was recorded with pages of %u bytes, '%s' with pages of %u", names[0],
			a.page_size, names[1], b.page_size);
	if (r < 0)
		return verb_fail_errno(r, "cannot compare '%s' and '%s'", names[0], names[1]);
	return print(
		&difference, &(struct difference_names){a.program, names[0], names[1], b.program}, options);
}

int cmd_diff(int argc, char **argv)
{
	struct diff_options options = {.rows = 20};
	bool all = false;
	const struct option_row rows[] = {
		{"json", .flag = &options.json},
		{"files", 'n', .take = option_take_rows, .to = &options.rows},
		{"all", 'a', .flag = &all},
		{0},
	};
	int status = options_parse(argc, argv, help, rows);

	if (status >= 0)
		return status;
	if (all)
		options.rows = SIZE_MAX;
	if (argc == optind)
		return verb_usage("diff", "no profile given");
	if (argc - optind > 2)
		return verb_usage("diff", "give one profile or two");
	return argc - optind == 2 ? diff_profiles(argv + optind, &options)
				  : diff_with_disk(argv[optind], &options);
}
