/* SPDX-License-Identifier: MIT */
/* What settings allow for a program. */
#include "config/config.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* A glob without a slash matches the last part of the path; in other globs '*' matches any number of parts. */
static bool matches(const char *glob, const char *program)
{
	const char *slash = strrchr(program, '/');

	if (!strchr(glob, '/') && slash)
		program = slash + 1;
	return fnmatch(glob, program, FNM_NOESCAPE) == 0;
}

bool config_allows(const struct config *config, const char *program, const struct config_program **ret_why)
{
	bool has_allow[CONFIG_FILES_MAX] = {false}, allowed[CONFIG_FILES_MAX] = {false};

	*ret_why = NULL;
	for (size_t i = 0; i < config->n_programs; i++) {
		const struct config_program *rule = &config->programs[i];
		bool match = matches(rule->glob, program);

		if (match && !rule->allow) {
			*ret_why = rule;
			return false;
		}
		has_allow[rule->file] |= rule->allow;
		allowed[rule->file] |= match;
	}
	for (unsigned i = 0; i < config->n_files; i++)
		if (has_allow[i] && !allowed[i])
			return false;
	return true;
}

void config_release(struct config *config)
{
	for (unsigned i = 0; i < config->n_files; i++)
		free(config->files[i]);
	for (size_t i = 0; i < config->n_programs; i++)
		free(config->programs[i].glob);
	for (size_t i = 0; i < config->n_devices; i++)
		free(config->devices[i].path);
	free(config->programs);
	free(config->devices);
	*config = (struct config){0};
}
