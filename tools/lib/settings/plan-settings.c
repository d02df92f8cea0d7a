/* SPDX-License-Identifier: MIT */
/* Applies settings and hosts to plans, and says what a plan is without. */
#include "lib/settings/plan-settings.h"
#include "base/plural.h"

#include <sys/stat.h>
#include <unistd.h>

#include "lib/settings/user-namespace.h"
#include "plan/publish.h"
#include "verb.h"

/* A user who is root only of a user namespace (unshare -Ur) is not root: the root folder is somebody else's. */
static bool is_root(void)
{
	struct stat st;

	return geteuid() == 0 && ((stat("/", &st) == 0 && st.st_uid == 0) || !in_user_namespace());
}

void plan_settings(const struct config *config, struct plan_options *options)
{
	options->shared = is_root() && !options->root;
	options->rules = config->devices;
	options->n_rules = options->device == DEVICE_UNKNOWN ? config->n_devices : 0;
	if (options->budget == 0)
		options->budget = config->memory;
}

void plan_note_left_out(const struct plan_summary *summary, const char *program)
{
	if (summary->others > 0)
		verb_note(
			"%zu file%s left out of everybody's plan of '%s': others than root own %s or can "
			"replace %s",
			summary->others, plural_of(summary->others, " is", "s are"), program,
			plural_of(summary->others, "it", "them"), plural_of(summary->others, "it", "them"));
	if (summary->uncached > 0)
		verb_note(
			"%zu file%s left out of the plan of '%s': %s FUSE file system caches nothing from one open "
			"to the next; see LIMITS in headstart-plan(1)",
			summary->uncached, plural_of(summary->uncached, " is", "s are"), program,
			plural_of(summary->uncached, "its", "their"));
}

static void report(void *context, const char *file, unsigned line, const char *what)
{
	if (line)
		verb_note("%s:%u: %s", file, line, what);
	else
		verb_note("'%s' is ignored: %s", file, what);
}

void plan_host(const char *program, char rule[ASKED_RULE_MAX], struct plan_options *options)
{
	options->rule = hosts_rule(program, rule, report, NULL) ? rule : NULL;
}

void plan_find_keys(struct recordings *recordings, bool of_root)
{
	struct plan_options options = {0};
	char rule[ASKED_RULE_MAX];

	plan_host(recordings->items->program, rule, &options);
	for (size_t i = 0; i < recordings->n; i++)
		(void)plan_find_asked(&recordings->items[i], rule, of_root);
}
