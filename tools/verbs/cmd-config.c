/* SPDX-License-Identifier: MIT */
/* headstart config: shows and checks settings, and applies them to existing plans. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "config/hosts.h"
#include "format/state-folder.h"
#include "lib/files/input.h"
#include "lib/files/no-state-folder.h"
#include "lib/files/store-turn.h"
#include "lib/files/stranger-refusal.h"
#include "lib/options/options.h"
#include "lib/print/page-style.h"
#include "lib/settings/plan-settings.h"
#include "lib/settings/settings.h"
#include "plan/publish.h"
#include "plan/refresh.h"
#include "plan/store/each.h"
#include "plan/store/load.h"
#include "plan/store/store.h"
#include "prefetch/outdated.h"
#include "verb.h"
#include "verbs/boot/boot.h"

static const char help[] =
	"usage: headstart config check [FILE]\n"
	"       headstart config apply [--older]\n"
	"check: prints the errors in FILE, or in the settings that count for this user.\n"
	"apply: compiles this user's plans again by the settings as they are now, and removes the plans of\n"
	"programs that they deny.\n"
	"\n"
	"options:\n"
	"      --older  apply: only the plans that an older headstart has made, which this one cannot read\n"
	"  -h, --help   print this\n";

static void print_problem(void *context, const char *file, unsigned line, const char *what)
{
	if (line)
		fprintf(stderr, "%s:%u: %s\n", file, line, what);
	else
		fprintf(stderr, "%s: %s\n", file, what);
}

/* A file that is not there counts as empty, so nothing else tells of a mistake in the variable. */
static unsigned check_variable(void)
{
	const char *named = getenv("HEADSTART_CONFIG");

	if (!named || !*named || (named[0] == '/' && access(named, F_OK) == 0))
		return 0;
	print_problem(NULL, named, 0,
		named[0] == '/' ? "HEADSTART_CONFIG names it, but it is not there"
				: "HEADSTART_CONFIG is ignored, because it is not an absolute path");
	return 1;
}

static int check(const char *file)
{
	_cleanup_(config_releasep) struct config config = {0};
	unsigned problems = file ? config_read_file(&config, file, true, print_problem, NULL)
				 : config_read(&config, print_problem, NULL) + check_variable();

	if (!file)
		problems += hosts_check(print_problem, NULL);
	if (problems)
		return VERB_FAILED;
	for (unsigned i = 0; i < config.n_files; i++)
		printf("%s: no errors\n", config.files[i]);
	if (config.n_files == 0)
		puts("there are no settings");
	return 0;
}

/* Returns 0, or an exit status after printing the reason. */
static int deny(const char *program, const char *why)
{
	_cleanup_free_ char *end = NULL;
	int r = plan_remove(program);

	if (r < 0)
		return verb_fail_errno(r, "cannot remove the plan of '%s'", program);
	if (asprintf(&end, ": %s", why ? why : "denied") < 0)
		return verb_fail_errno(ENOMEM, "cannot say what became of the plan of '%s'", program);
	page_line("no plan  ", program, end);
	return 0;
}

/* Returns 0, or an exit status after printing the reason. */
static int apply_to(const struct config *config, const char *program)
{
	_cleanup_free_ char *why = NULL;
	char rule[ASKED_RULE_MAX];
	struct plan_options options = {0};
	struct plan_summary summary = {0};
	int r;

	if (!settings_allow(config, program, &why))
		return deny(program, why);
	plan_settings(config, &options);
	plan_host(program, rule, &options);
	r = plan_refresh(program, &options, &summary);
	plan_note_left_out(&summary, program);
	if (r == -ENODATA) {
		page_line("no plan  ", program, ": there is nothing to read ahead here");
		return 0;
	}
	if (r < 0)
		return verb_fail_errno(r, "cannot make the plan of '%s'", program);
	page_line("plan     ", program, "");
	return 0;
}

/* Whether the plan beside this profile is an older one. The plans of single starts are made together with it. */
static bool has_older_plan(const char *profile)
{
	_cleanup_free_ char *plan = NULL;
	int stem = (int)(strlen(profile) - strlen(STATE_PROFILE_SUFFIX));

	return asprintf(&plan, "%.*s" STATE_PLAN_SUFFIX, stem, profile) >= 0 && plan_is_older(plan);
}

struct applying {
	const struct config *config;
	bool older; /* only to older plans */
	int status;
};

static int apply_profile(void *context, const char *path)
{
	_cleanup_(profile_releasep) struct profile profile = {0};
	_cleanup_close_ int turn = -1;
	struct applying *applying = context;
	int r;

	if (applying->older && !has_older_plan(path))
		return 0;
	r = store_turn_take(&turn);
	if (r) {
		applying->status = r;
		return 1;
	}
	if (input_profile(path, &profile) || apply_to(applying->config, profile.program))
		applying->status = VERB_FAILED;
	return 0;
}

/* One that was made of a profile elsewhere can only be removed. */
static int apply_plan(void *context, const char *path)
{
	_cleanup_(loaded_plan_releasep) struct loaded_plan plan = {0};
	_cleanup_free_ char *why = NULL;
	_cleanup_close_ int turn = -1;
	struct applying *applying = context;
	char profile[PATH_MAX];
	int r = store_turn_take(&turn);

	if (r) {
		applying->status = r;
		return 1;
	}
	if (!store_plan_is_own(path) || !store_profile_of_plan(path, profile) || access(profile, F_OK) == 0 ||
		plan_load_path(path, &plan, NULL) < 0 || plan_is_snapshot(&plan.view) ||
		settings_allow(applying->config, plan_program(&plan.view), &why))
		return 0;
	if (deny(plan_program(&plan.view), why))
		applying->status = VERB_FAILED;
	return 0;
}

static int apply_to_boot(const struct config *config, bool older)
{
	bool made;
	int r = boot_make_anew(config, older, &made);

	if (made)
		puts("plan     of the boot");
	return r;
}

static int apply(bool older)
{
	_cleanup_(config_releasep) struct config config = {0};
	struct applying applying = {.older = older};
	_cleanup_free_ char *state = NULL;
	int r = refuse_strange_state();

	if (r)
		return r;
	r = store_folder(&state);
	if (r < 0)
		return no_state_folder(r, NULL);
	settings_read(&config, true, false);
	applying.config = &config;
	r = store_each(state, STATE_PROFILE_SUFFIX, apply_profile, &applying);
	if (r == 0 && !older)
		r = store_each(state, STATE_PLAN_SUFFIX, apply_plan, &applying);
	if (r < 0)
		return verb_fail_errno(r, "cannot read '%s'", state);
	if (r > 0)
		return applying.status;
	return apply_to_boot(&config, older) ? VERB_FAILED : applying.status;
}

#define WAYS "give 'check', 'check FILE', 'apply' or 'apply --older'"

int cmd_config(int argc, char **argv)
{
	bool older = false;
	const struct option_row options[] = {{"older", .flag = &older}, {0}};
	int rest, status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	rest = argc - optind;
	if (rest >= 1 && rest <= 2 && streq(argv[optind], "check") && !older)
		return check(argv[optind + 1]);
	if (rest == 1 && streq(argv[optind], "apply"))
		return apply(older);
	if (rest > 0 && !streq(argv[optind], "check") && !streq(argv[optind], "apply"))
		return verb_usage("config", "unknown '%s': " WAYS, argv[optind]);
	return verb_usage("config", WAYS);
}
