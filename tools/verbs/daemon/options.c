/* SPDX-License-Identifier: MIT */

#include "lib/options/options.h"
#include "verb.h"
#include "verbs/daemon/daemon.h"

bool daemon_options(int argc, char **argv, const char *help, int arguments, int *ret_status)
{
	const struct option_row none[] = {{0}};

	*ret_status = options_parse(argc, argv, help, none);
	if (*ret_status >= 0)
		return false;
	if (argc - optind > arguments)
		*ret_status = verb_usage(argv[0], "unexpected argument '%s'", argv[optind + arguments]);
	else if (argc - optind < arguments)
		*ret_status = verb_usage(argv[0], "no program given");
	else
		return true;
	return false;
}
