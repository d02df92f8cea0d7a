/* SPDX-License-Identifier: MIT */
/* headstart resume: ends what `headstart pause` began. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/texts/daemon-note.h"
#include "verb.h"
#include "verbs/daemon/daemon.h"

static const char help[] =
	"usage: headstart resume [OPTION…]\n"
	"Tells headstartd to go on after 'headstart pause'.\n"
	"\n"
	"options:\n"
	"  -h, --help  print this\n";

int cmd_resume(int argc, char **argv)
{
	int status;

	if (!daemon_options(argc, argv, help, 0, &status))
		return status;
	if (geteuid() != 0)
		return verb_fail("only root can resume the daemon: sudo headstart resume");
	if (unlink(DAEMON_PAUSED) < 0 && errno != ENOENT)
		return verb_fail_errno(errno, "cannot remove '%s'", DAEMON_PAUSED);
	return 0;
}
