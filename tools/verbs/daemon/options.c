/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "verb.h"
#include "verbs/daemon/daemon.h"

bool daemon_options(int argc, char **argv, const char *help, int arguments, int *ret_status)
{
	static const struct option longs[] = {{"help", no_argument, NULL, 'h'}, {0}};
	int option = verb_option(argc, argv, ":h", longs);

	if (option == 'h')
		*ret_status = fputs(help, stdout) < 0 ? VERB_FAILED : 0;
	else if (option != -1)
		*ret_status = VERB_USAGE;
	else if (argc - optind > arguments)
		*ret_status = verb_usage(argv[0], "unexpected argument '%s'", argv[optind + arguments]);
	else if (argc - optind < arguments)
		*ret_status = verb_usage(argv[0], "no program given");
	else
		return true;
	return false;
}
