/* SPDX-License-Identifier: MIT */
/* headstart boot: reads ahead what a boot reads, and records that. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/strings.h"
#include "boot/recorder.h"
#include "lib/options/values.h"
#include "verb.h"
#include "verbs/boot/boot.h"

#define TIMEOUT_S 300

static const char help[] =
	"usage: headstart boot prefetch\n"
	"       headstart boot record [OPTION…]\n"
	"       headstart boot stop\n"
	"Makes this machine boot faster, as root. The units headstart-boot, headstart-boot-record and\n"
	"headstart-boot-done call these:\n"
	"  prefetch  reads ahead what the last boots have read\n"
	"  record    records what all processes read, until 'headstart boot stop', for the next boot\n"
	"  stop      ends the recording: the machine has booted\n"
	"\n"
	"options:\n"
	"      --timeout SECONDS  end the recording after this long in any case (default: 300)\n"
	"  -h, --help             print this\n"
	"\n"
	"On the kernel's command line, headstart=off does nothing for this boot, and headstart=record begins\n"
	"anew: nothing is read ahead, and what earlier boots have read is forgotten.\n";

static int stop(void)
{
	int r;

	if (geteuid() != 0)
		return verb_fail("only root can end the recording of a boot: sudo headstart boot stop");
	r = boot_signal(BOOT_RECORDER, SIGTERM);
	if (r == -ESRCH)
		return verb_fail("no boot is being recorded");
	return r < 0 ? verb_fail_errno(r, "cannot end the recording of the boot") : 0;
}

/* `timeout` is 0 unless it was given. */
static int run(const char *what, double timeout)
{
	if (!streq(what, "record") && timeout > 0)
		return verb_usage("boot", "--timeout is for 'record'");
	if (streq(what, "record"))
		return boot_record(timeout > 0 ? timeout : TIMEOUT_S);
	if (streq(what, "prefetch"))
		return boot_prefetch();
	if (streq(what, "stop"))
		return stop();
	return verb_usage("boot", "unknown '%s': give prefetch, record or stop", what);
}

int cmd_boot(int argc, char **argv)
{
	double timeout = 0;
	const struct option_row options[] = {
		{"timeout", .take = option_take_seconds, .to = &timeout},
		{0},
	};
	int status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (optind == argc)
		return verb_usage("boot", "give prefetch, record or stop");
	if (argc - optind > 1)
		return verb_usage("boot", "unexpected argument '%s'", argv[optind + 1]);
	return run(argv[optind], timeout);
}
