/* SPDX-License-Identifier: MIT */
/* headstart-tool: every verb but `run`. Started by headstart, which knows the verbs and their summaries. */
#include "verb.h"

#include <stddef.h>
#include <string.h>

static const struct verb verbs[] = {
#ifdef HAVE_RECORD
	{"record", cmd_record},
	{"mark", cmd_mark},
#endif
	{"show", cmd_show},
	{"merge", cmd_merge},
	{"plan", cmd_plan},
	{"relayout", cmd_relayout},
	{"verify", cmd_verify},
	{"undo", cmd_undo},
	{"order", cmd_order},
	{"doctor", cmd_doctor},
	{"config", cmd_config},
	{"install", cmd_install},
	{"uninstall", cmd_uninstall},
	{"status", cmd_status},
	{NULL, NULL},
};

int main(int argc, char **argv)
{
	if (argc < 2)
		return verb_fail("headstart-tool is started by 'headstart VERB'"), VERB_USAGE;
	for (const struct verb *verb = verbs; verb->name; verb++)
		if (strcmp(argv[1], verb->name) == 0)
			return verb->run(argc - 1, argv + 1);
	return verb_fail("this build has no verb '%s': 'record' and 'mark' need libtracefs", argv[1]),
	       VERB_USAGE;
}
