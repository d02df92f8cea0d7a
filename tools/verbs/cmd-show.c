/* SPDX-License-Identifier: MIT */
/* headstart show: prints what is in a profile or a plan. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/open.h"
#include "base/strings.h"
#include "format/plan-view.h"
#include "lib/files/input-path.h"
#include "lib/files/input.h"
#include "lib/options/values.h"
#include "lib/print/page-style.h"
#include "lib/settings/plan-settings.h"
#include "plan/store/load.h"
#include "profile/file/profile-file.h"
#include "profile/recordings/recordings.h"
#include "report/profiles/report.h"
#include "verb.h"

static const char help[] =
	"usage: headstart show [OPTION…] FILE|PROGRAM\n"
	"Prints what is in a profile or a plan: in that file, or in the stored one of PROGRAM.\n"
	"\n"
	"options:\n"
	"      --json     print everything as one JSON object\n"
	"  -n, --files N  print no more than N files (default: 20)\n"
	"  -a, --all      print all files\n"
	"  -h, --help     print this\n";

struct show_options {
	bool json;
	size_t rows;
};

enum file_type { TYPE_PROFILE, TYPE_PLAN };

static int fail_read(int error, const char *path)
{
	return verb_fail_errno(error, "cannot read '%s'", path);
}

/* Recognizes the file by its first bytes. Returns 0, or an exit status after printing the reason. */
static int recognise(const char *path, enum file_type *ret)
{
	_cleanup_close_ int fd = open_regular(path, 0);
	char magic[8];
	ssize_t n;

	if (fd == -EISDIR)
		return verb_fail("'%s' is a folder, not a profile or a plan", path);
	if (fd == -EINVAL)
		return verb_fail("'%s' is not a regular file", path);
	if (fd < 0)
		return fail_read(fd, path);
	n = read_full(fd, magic, sizeof(magic));
	if (n < 0)
		return fail_read((int)n, path);
	if (n == 0)
		return verb_fail("'%s' is empty", path);
	if (n == sizeof(magic) && memcmp(magic, PROFILE_MAGIC, sizeof(magic)) == 0)
		*ret = TYPE_PROFILE;
	else if (n == sizeof(magic) && memcmp(magic, PLAN_MAGIC, sizeof(magic)) == 0)
		*ret = TYPE_PLAN;
	else
		return verb_fail("'%s' is neither a headstart profile nor a plan", path);
	return 0;
}

static int show_profile(const char *path, const struct show_options *options)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	_cleanup_(profile_releasep) struct profile all = {0};
	struct report_style style = page_style(options->rows);
	int r = input_recordings(path, &recordings);

	if (r)
		return r;
	plan_find_keys(&recordings, false);
	r = recordings_merge(&recordings, &all);
	if (r < 0)
		return verb_fail("'%s' %s", path, profile_fault_text(PROFILE_DAMAGED));
	if (options->json)
		return verb_flush_report(report_profile_json(stdout, &all, &recordings));
	return verb_flush_report(report_profile_text(stdout, &all, &recordings, &style));
}

static int show_plan(const char *path, const struct show_options *options)
{
	_cleanup_(loaded_plan_releasep) struct loaded_plan plan = {0};
	struct report_style style = page_style(options->rows);
	enum plan_fault fault = PLAN_GOOD;
	int r = plan_load_path(path, &plan, &fault);

	if (r == -EBADMSG)
		return verb_fail("'%s' %s", path, plan_fault_text(fault));
	if (r < 0)
		return fail_read(r, path);
	if (options->json)
		return verb_flush_report(report_plan_json(stdout, &plan.view));
	return verb_flush_report(report_plan_text(stdout, &plan.view, &style));
}

int cmd_show(int argc, char **argv)
{
	struct show_options options = {.rows = 20};
	bool all = false;
	const struct option_row rows[] = {
		{"json", .flag = &options.json},
		{"files", 'n', .take = option_take_rows, .to = &options.rows},
		{"all", 'a', .flag = &all},
		{0},
	};
	_cleanup_free_ char *path = NULL;
	enum file_type type;
	int r = options_parse(argc, argv, help, rows);

	if (r >= 0)
		return r;
	if (all)
		options.rows = SIZE_MAX;
	if (argc - optind != 1)
		return argc == optind ? verb_usage("show", "no file or program given")
				      : verb_usage("show", "unexpected argument '%s'", argv[optind + 1]);
	r = input_path(argv[optind], true, &path);
	if (r == 0)
		r = recognise(path, &type);
	if (r != 0)
		return r;
	return type == TYPE_PROFILE ? show_profile(path, &options) : show_plan(path, &options);
}
