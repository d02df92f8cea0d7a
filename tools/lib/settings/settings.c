/* SPDX-License-Identifier: MIT */
/* Reads settings, and reports mistakes in them. */
#include "lib/settings/settings.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "verb.h"

/* Reports only the first mistake; 'headstart config check' reports all. */
static void note_first(void *context, const char *file, unsigned line, const char *what)
{
	bool *told = context;

	if (*told)
		return;
	*told = true;
	if (line)
		verb_note("%s:%u: %s; the line is ignored ('headstart config check' prints all errors)", file,
			line, what);
	else
		verb_note("'%s' is ignored: %s", file, what);
}

void settings_read(struct config *ret, bool user, bool quiet)
{
	config_problem *tell = quiet ? NULL : note_first;
	bool told = false;

	if (user)
		config_read(ret, tell, &told);
	else
		config_read_system(ret, tell, &told);
}

bool settings_allow(const struct config *config, const char *program, char **ret_why)
{
	const struct config_program *why;
	int n;

	if (config_allows(config, program, &why))
		return true;
	n = why ? asprintf(ret_why, "%s:%u denies it", config->files[why->file], why->line)
		: asprintf(ret_why, "the settings allow only other programs");
	if (n < 0)
		*ret_why = NULL;
	return false;
}

struct settings_permit settings_permit(const char *program, bool user)
{
	_cleanup_(config_releasep) struct config config = {0};
	const struct config_program *why;
	bool allowed;

	settings_read(&config, user, true);
	allowed = config_allows(&config, program, &why);
	return (struct settings_permit){.prefetch = allowed, .learn = allowed && !config.never_learn};
}
