/* SPDX-License-Identifier: MIT */
/* Parses the command line of `headstart install` and `headstart uninstall`. */
#include <stdio.h>

#include "verb.h"
#include "verbs/install/install.h"

int install_parse(int argc, char **argv, const char *help, const struct option *options,
	struct install_request *request)
{
	const char *verb = argv[0];
	int option;

	while ((option = verb_option(argc, argv, ":h", options)) != -1) {
		switch (option) {
		case INSTALL_SYSTEM:
		case INSTALL_USER:
		case INSTALL_APP:
			if (request->kind)
				return verb_usage(verb, "use only one of --system, --user and --app");
			request->kind = (enum install_kind)option;
			request->app = optarg;
			break;
		case INSTALL_ROOT:
			request->root = optarg;
			break;
		case INSTALL_FORCE:
			request->force = true;
			break;
		case INSTALL_DRY_RUN:
			request->dry_run = true;
			break;
		case 'h':
			return fputs(help, stdout) < 0 ? VERB_FAILED : -1;
		default:
			return VERB_USAGE;
		}
	}
	if (optind < argc)
		return verb_usage(
			verb, "unexpected argument '%s': use --app NAME for a program", argv[optind]);
	if (request->root && request->kind != INSTALL_SYSTEM)
		return verb_usage(verb, "--root needs --system");
	return request->kind ? 0 : verb_usage(verb, "give --system, --user or --app NAME");
}
