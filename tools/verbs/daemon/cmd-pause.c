/* SPDX-License-Identifier: MIT */
/* headstart pause: tells the daemon to do nothing for a while. */
#include <unistd.h>

#include "base/texts/daemon-note.h"
#include "replace/publish.h"
#include "verb.h"
#include "verbs/daemon/daemon.h"

static const char help[] =
	"usage: headstart pause [OPTION…]\n"
	"Tells headstartd to carry out no plans and to learn nothing, until 'headstart resume' or until the\n"
	"machine is started again.\n"
	"\n"
	"options:\n"
	"  -h, --help  print this\n";

int cmd_pause(int argc, char **argv)
{
	int status, r;

	if (!daemon_options(argc, argv, help, 0, &status))
		return status;
	if (geteuid() != 0)
		return verb_fail("only root can pause the daemon: sudo headstart pause");
	r = make_folders_for_all(DAEMON_FOLDER);
	if (r == 0)
		r = publish_file(DAEMON_PAUSED, 0644, "", 0);
	return r < 0 ? verb_fail_errno(r, "cannot write '%s'", DAEMON_PAUSED) : 0;
}
