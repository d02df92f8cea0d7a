/* SPDX-License-Identifier: MIT */
/* headstart-tool: every verb but `run` and `restore`. Started by headstart, which knows the verbs and their summaries. */
#include "base/files/standard-streams.h"
#include "base/run/child-signal.h"
#include "verb.h"

int main(int argc, char **argv)
{
	const struct verb *verb;
	int status;

	standard_streams_hold(false);
	child_signal_heed();
	if (argc < 2)
		return verb_fail("run 'headstart VERB' instead of headstart-tool"), VERB_USAGE;
	verb = verb_find(argv[1]);
	if (!verb || !verb->run)
		return verb_fail("this build has no verb '%s', which needs libtracefs", argv[1]), VERB_USAGE;
	status = verb->run(argc - 1, argv + 1);
	return status ? status : verb_flush();
}
