/* SPDX-License-Identifier: MIT */
/* Parses the command line of `headstart install` and `headstart uninstall`. */

#include "base/strings.h"
#include "lib/options/options.h"
#include "verb.h"
#include "verbs/install/install.h"

static int take_app(const char *verb, const char *value, void *to)
{
	struct install_request *request = to;

	if (request->app)
		return verb_usage(verb, "give --app only once");
	request->app = value;
	return 0;
}

int install_parse(int argc, char **argv, const char *help, struct install_request *request)
{
	const char *verb = argv[0];
	bool system = false, user = false;
	const struct option_row options[] = {
		{"system", .flag = &system},
		{"user", .flag = &user},
		{"app", .take = take_app, .to = request},
		{"root", .text = &request->root},
		{"dry-run", .flag = &request->dry_run},
		{streq(verb, "install") ? "force" : NULL, .flag = &request->force},
		{0},
	};
	int status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (system + user + (request->app != NULL) > 1)
		return verb_usage(verb, "use only one of --system, --user and --app");
	request->kind = system ? INSTALL_SYSTEM
		: user         ? INSTALL_USER
		: request->app ? INSTALL_APP
			       : INSTALL_NOTHING;
	if (optind < argc)
		return verb_usage(
			verb, "unexpected argument '%s': use --app NAME for a program", argv[optind]);
	if (request->root && request->kind != INSTALL_SYSTEM)
		return verb_usage(verb, "--root needs --system");
	return request->kind ? -1 : verb_usage(verb, "give --system, --user or --app NAME");
}
