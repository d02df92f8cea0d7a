/* SPDX-License-Identifier: MIT */
/* Budgets and devices of the settings in plans; plans that must not be. */
#include "plan-settings.h"

#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "format/state-folder.h"
#include "plan/names.h"
#include "plan/store.h"

void plan_settings(const struct config *config, struct plan_options *options)
{
	options->rules = config->devices;
	options->n_rules = options->device == DEVICE_UNKNOWN ? config->n_devices : 0;
	if (options->budget == 0)
		options->budget = config->memory;
}

int plan_withdraw(const char *program)
{
	_cleanup_free_ char *path = NULL;
	int r = store_path_for_writing(STORE_PLAN, program, &path);

	if (r < 0)
		return r;
	if (unlink(path) < 0 && errno != ENOENT)
		return -errno;
	return names_withdraw(program);
}
