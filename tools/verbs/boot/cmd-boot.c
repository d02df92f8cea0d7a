/* SPDX-License-Identifier: MIT */
/* headstart boot: reads ahead what a boot reads, records that, and says what a boot waited for. */
#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/strings.h"
#include "boot/recorder.h"
#include "lib/options/values.h"
#include "verb.h"
#include "verbs/boot/boot.h"

#define TIMEOUT_S 300
#define ROWS      20

static const char help[] =
	"usage: headstart boot prefetch\n"
	"       headstart boot record [OPTION…]\n"
	"       headstart boot stop [--when-idle]\n"
	"       headstart boot report [OPTION…] [FILE]\n"
	"       headstart boot timeline [OPTION…] -o OUTPUT [FILE [FILE]]\n"
	"Makes this machine boot faster, as root. The units headstart-boot, headstart-boot-record and\n"
	"headstart-boot-done call these:\n"
	"  prefetch  reads ahead what the last boots have read\n"
	"  record    records what all processes read, until 'headstart boot stop', for the next boot\n"
	"  stop      ends the recording: the machine has booted\n"
	"\n"
	"Two others say what each unit of systemd waited for in the boot that was recorded last, or in that\n"
	"of FILE, a copy of such a recording:\n"
	"  report    prints the units by the time that they waited for reads, and the files\n"
	"  timeline  draws the boot, or two beside each other\n"
	"\n"
	"options:\n"
	"      --timeout SECONDS  end the recording after this long in any case (record; default: 300)\n"
	"      --when-idle        end it when little is read any more, but within 30 seconds (stop;\n"
	"                         headstart-boot-done.service gives it)\n"
	"      --first            the boot waits for this program, too, so its own pages count (record;\n"
	"                         headstart-init gives it)\n"
	"      --json             print everything as one JSON object (report)\n"
	"  -n, --rows N           print no more than N units and files (report; default: 20)\n"
	"  -a, --all              print all of them (report)\n"
	"  -o, --output OUTPUT    write to OUTPUT (timeline)\n"
	"  -f, --format FORMAT    html, svg or perfetto (timeline; default: by the ending of OUTPUT: .html,\n"
	"                         .svg or .json)\n"
	"  -h, --help             print this\n"
	"\n"
	"On the kernel's command line, headstart=off does nothing for this boot, and headstart=record begins\n"
	"anew: nothing is read ahead, and what earlier boots have read is forgotten.\n";

static int stop(bool when_idle)
{
	int r;

	if (geteuid() != 0)
		return verb_fail("only root can end the recording of a boot: sudo headstart boot stop");
	r = boot_signal(BOOT_RECORDER, when_idle ? BOOT_STOP_IDLE : BOOT_STOP);
	if (r == -ESRCH)
		return verb_fail("no boot is being recorded");
	return r < 0 ? verb_fail_errno(r, "cannot end the recording of the boot") : 0;
}

/* What was given on the command line. */
struct request {
	const char *what;
	char **files; /* borrowed */
	size_t n;
	double timeout;              /* 0: none */
	const char *output, *format; /* NULL: none */
	size_t rows;                 /* 0: none */
	bool json, all, first, when_idle;
};

/* Returns 0, or an exit status after naming an option that is for something else. */
static int check_options(const struct request *request)
{
	if (request->timeout > 0 && !streq(request->what, "record"))
		return verb_usage("boot", "--timeout is for 'record'");
	if (request->first && !streq(request->what, "record"))
		return verb_usage("boot", "--first is for 'record'");
	if (request->when_idle && !streq(request->what, "stop"))
		return verb_usage("boot", "--when-idle is for 'stop'");
	if ((request->output || request->format) && !streq(request->what, "timeline"))
		return verb_usage("boot", "--output and --format are for 'timeline'");
	if ((request->json || request->rows || request->all) && !streq(request->what, "report"))
		return verb_usage("boot", "--json, --rows and --all are for 'report'");
	return 0;
}

/* Returns 0, or an exit status after naming an argument that is too many. */
static int check_files(const struct request *request)
{
	size_t most = streq(request->what, "timeline") ? 2 : streq(request->what, "report") ? 1 : 0;

	return request->n > most ? verb_usage("boot", "unexpected argument '%s'", request->files[most]) : 0;
}

static int run(const struct request *request)
{
	const char *what = request->what;
	int r = check_options(request);

	if (r == 0)
		r = check_files(request);
	if (r)
		return r;
	if (streq(what, "record"))
		return boot_record(request->timeout > 0 ? request->timeout : TIMEOUT_S, request->first);
	if (streq(what, "prefetch"))
		return boot_prefetch();
	if (streq(what, "stop"))
		return stop(request->when_idle);
	if (streq(what, "timeline"))
		return boot_draw(request->files, request->n, request->output, request->format);
	if (streq(what, "report"))
		return boot_print(request->n ? request->files[0] : NULL, request->json,
			request->all            ? SIZE_MAX
				: request->rows ? request->rows
						: ROWS);
	return verb_usage("boot", "unknown '%s': give prefetch, record, stop, report or timeline", what);
}

int cmd_boot(int argc, char **argv)
{
	struct request request = {0};
	const struct option_row options[] = {
		{"timeout", .take = option_take_seconds, .to = &request.timeout},
		{"json", .flag = &request.json},
		{"rows", 'n', .take = option_take_rows, .to = &request.rows},
		{"all", 'a', .flag = &request.all},
		{"first", .flag = &request.first},
		{"when-idle", .flag = &request.when_idle},
		{"output", 'o', .text = &request.output},
		{"format", 'f', .text = &request.format},
		{0},
	};
	int status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (optind == argc)
		return verb_usage("boot", "give prefetch, record, stop, report or timeline");
	request.what = argv[optind];
	request.files = argv + optind + 1;
	request.n = (size_t)(argc - optind - 1);
	return run(&request);
}
