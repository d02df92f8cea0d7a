/* SPDX-License-Identifier: MIT */
/* headstart doctor: checks this system and suggests fixes. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "lib/options/options.h"
#include "lib/print/page-style.h"
#include "lib/programs/named-program.h"
#include "lib/settings/settings.h"
#include "verb.h"
#include "verbs/doctor/page.h"

static const char help[] =
	"usage: headstart doctor [OPTION…] [PROGRAM]\n"
	"Checks this machine, and PROGRAM if you name one: prints what was found, what follows from it, and\n"
	"the command that fixes it. Changes nothing and starts nothing.\n"
	"\n"
	"options:\n"
	"      --json  print one JSON object\n"
	"  -h, --help  print this\n"
	"\n"
	"Exits with 0 if there is no problem, 1 if there is one, 2 if the command line is wrong.\n";

static int print(const struct doctor_report *report, const char *program, bool json)
{
	int r = report->out_of_memory ? -ENOMEM : 0;

	if (json && r == 0) {
		r = doctor_page_json(stdout, report, program);
	} else if (r == 0) {
		struct report_style style = page_style(SIZE_MAX);

		doctor_page_text(stdout, report, program, &style);
	}
	if (r < 0)
		return verb_fail_errno(r, "cannot print the whole report");
	return verb_flush() || doctor_count(report, DOCTOR_PROBLEM) > 0 ? VERB_FAILED : 0;
}

static struct config settings;

static char *denied(const char *program)
{
	char *why = NULL;

	return settings_allow(&settings, program, &why) ? NULL : why;
}

int cmd_doctor(int argc, char **argv)
{
	_cleanup_(doctor_report_releasep) struct doctor_report report = {0};
	struct doctor_host host;
	const char *program;
	bool json = false;
	const struct option_row options[] = {{"json", .flag = &json}, {0}};
	int r = options_parse(argc, argv, help, options);

	if (r >= 0)
		return r;
	if (argc - optind > 1)
		return verb_usage("doctor", "unexpected argument '%s': give one program", argv[optind + 1]);
	program = argv[optind];
	doctor_host_init(&host);
	host.wrong_settings = config_read(&settings, NULL, NULL);
	host.denied = denied;
	host.rules = settings.devices;
	host.n_rules = settings.n_devices;
	doctor_check_machine(&host, &report);
	if (program) {
		r = doctor_check_program(&host, program, &report);
		if (r < 0) {
			program_refusal(r, program);
			return VERB_FAILED;
		}
	}
	return print(&report, program, json);
}
