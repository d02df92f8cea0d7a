/* SPDX-License-Identifier: MIT */
/*
 * headstart run: reads ahead what the program's start touches, then becomes the program.
 *
 * The program must see what it would see without us. So this very process execs it, with the arguments, environment,
 * descriptors, signal mask and folder that it got itself; the prefetcher is detached before that (tools/launcher/launch.c).
 * Whatever goes wrong with the plan, the program still starts.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "base/strings.h"
#include "base/times.h"
#include "format/kill-switch.h"
#include "format/recording.h"
#include "launcher/audit-environment.h"
#include "launcher/launch.h"
#include "lib/options/options.h"
#include "lib/settings/settings.h"
#include "plan/asked/choose.h"
#include "plan/store/load.h"
#include "plan/store/store.h"
#include "prefetch/limits/process-room.h"
#include "prefetch/prefetch.h"
#include "prefetcher/detach.h"
#include "verb.h"

struct run_options {
	const char *plan;
	bool verbose;
	bool audit;
	enum launch_wait wait;
};

static const char help[] =
	"usage: headstart run [OPTION…] [--] PROGRAM [ARGUMENT…]\n"
	"Reads ahead what PROGRAM's start touches, by its plan, and starts it. Without a plan, or if\n"
	"everything is cached already, it just starts PROGRAM.\n"
	"\n"
	"options:\n"
	"      --audit       also load the audit shim into PROGRAM: it helps a program that was not\n"
	"                    recorded, and the programs that it starts\n"
	"      --plan FILE   the plan to use instead of the one recorded for PROGRAM\n"
	"      --wait WHEN   start PROGRAM at once (none), when all data has arrived (done), or as is\n"
	"                    best for the plan's disk (auto, the default)\n"
	"      --verbose     say what is read ahead, or why nothing is\n"
	"  -h, --help        print this\n";

static int take_wait(const char *verb, const char *value, void *to)
{
	static const char *const names[] = {
		[LAUNCH_WAIT_AUTO] = "auto",
		[LAUNCH_WAIT_NONE] = "none",
		[LAUNCH_WAIT_DONE] = "done",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (streq(value, names[i])) {
			*(enum launch_wait *)to = (enum launch_wait)i;
			return 0;
		}
	return verb_usage(verb, "unknown value '%s' of --wait: use auto, none or done", value);
}

/* Returns -1 to go on, or the exit status. */
static int parse_options(int argc, char **argv, struct run_options *options)
{
	const struct option_row rows[] = {
		{"audit", .flag = &options->audit},
		{"plan", .text = &options->plan},
		{"wait", .take = take_wait, .to = &options->wait},
		{"verbose", .flag = &options->verbose},
		{0},
	};
	int status = options_parse_before_command(argc, argv, help, rows);

	if (status >= 0)
		return status;
	return optind < argc ? -1 : verb_usage("run", "no program given");
}

/*
 * Why nothing is done, whatever plans there are; NULL if nothing speaks against it. A recording counts all that is read by what
 * it records: with a prefetcher it would be the old plan, in the order of that. A trace is no recording.
 */
static const char *why_not(void)
{
	const char *mode = getenv("HEADSTART"), *recording = getenv("HEADSTART_RECORDING");

	if ((mode && streq(mode, "off")) || access(KILL_SWITCH, F_OK) == 0)
		return "headstart is switched off";
	return recording && boottime_seconds() < recording_end(recording) && !getenv("HEADSTART_TRACED")
		? "its start is being recorded"
		: NULL;
}

/* There is no plan, but somebody may have copied a profile here, or deleted the plan. */
static bool compile_for_next_time(const char *canonical)
{
	_cleanup_free_ char *profile = NULL;

	if (!canonical || store_find(STORE_PROFILE, canonical, &profile) < 0)
		return false;
	return launch_planner(canonical, NULL) == 0;
}

/*
 * Reads the plan that --plan names. Makes its path absolute, because the prefetcher works in another folder and may have
 * to mark the plan as stale.
 */
static int load_given_plan(const char *path, struct chosen_plan *chosen)
{
	int r;

	chosen->path = realpath(path, NULL);
	if (!chosen->path)
		return -errno;
	r = plan_load_path(chosen->path, &chosen->loaded, &chosen->fault);
	return r == -EBADMSG ? 0 : r;
}

/* Reads the plan of the start that argv is, or sets *ret_why to the reason why there is none. */
static int find_plan(char **argv, const struct config *config, const char *canonical,
	struct chosen_plan *chosen, const char **ret_why)
{
	const struct config_program *deny;
	struct store store;
	int r = canonical ? store_of_process(&store) : -ENOENT;

	if (canonical && !config_allows(config, canonical, &deny)) {
		*ret_why = "the settings deny it";
		return -ECANCELED;
	}
	if (r == 0)
		r = plan_choose_for_run(&store, canonical, (const char *const *)argv, chosen);
	if (r == 0 && chosen->alias_of && !config_allows(config, chosen->alias_of, &deny)) {
		*ret_why = "the settings deny what it executes";
		return -ECANCELED;
	}
	if (r == 0)
		return 0;
	*ret_why = compile_for_next_time(canonical) ? "its plan is being compiled for the next start"
		: r == -EPERM ? "others than root can change the folder in HEADSTART_STATE"
			      : "no plan for it ('sudo headstart record' makes one)";
	return r;
}

/* Reads the plan, or sets *ret_why to the reason why there is none; NULL: the one of --plan cannot be read. */
static int load_plan(char **argv, const struct run_options *options, const struct config *config,
	struct launch *launch, const char **ret_why)
{
	_cleanup_(chosen_plan_releasep) struct chosen_plan chosen = {0};
	_cleanup_free_ char *canonical = NULL;
	int r;

	*ret_why = NULL;
	if (options->plan) {
		r = load_given_plan(options->plan, &chosen);
	} else {
		(void)store_program_path(argv[0], &canonical);
		r = find_plan(argv, config, canonical, &chosen, ret_why);
	}
	if (r < 0)
		return r;
	launch->refresh = canonical && store_plan_is_own(chosen.path) && !detach_stays();
	if (chosen.fault != PLAN_GOOD) {
		*ret_why = "the plan is damaged or has another version";
		if (launch->refresh)
			compile_for_next_time(canonical);
		return -EINVAL;
	}
	launch->plan_path = TAKE_PTR(chosen.path);
	launch->plan = chosen.loaded;
	chosen.loaded = (struct loaded_plan){0};
	return 0;
}

/* Which of the program's plans it is, for people. */
static const char *kind_of_plan(const struct launch *launch)
{
	if (LE64(launch->plan.view.header->asked))
		return ", as recorded for these arguments";
	return plan_head_rule(launch->plan.data) ? ", which it reads whatever its arguments are" : "";
}

/* `why` as of load_plan(). */
static void say_why_not(const char *program, const struct run_options *options, int error, const char *why)
{
	if (error == -EAGAIN)
		verb_note("'%s' is started without prefetching: fewer than %d more processes can be started",
			program, PROCESS_ROOM_MIN);
	else if (why && options->plan && error == -EINVAL)
		verb_note(
			"'%s' is started without prefetching: '%s' is no plan, or is damaged or of another version",
			program, options->plan);
	else if (why)
		verb_note("'%s' is started without prefetching: %s", program, why);
	else
		verb_note("'%s' is started without prefetching: cannot read the plan '%s': %s", program,
			options->plan, strerror(-error));
}

/* `audit` gets the static TLS that the plan counts. */
static void prefetch(char **argv, const struct run_options *options, struct audit_request *audit)
{
	const char *program = argv[0];
	_cleanup_(config_releasep) struct config config = {0};
	struct launch launch = {.wait = options->wait, .verbose = options->verbose};
	const char *why = why_not();
	int r = why ? -ECANCELED : 0;

	if (r == 0) {
		settings_read(&config, true, !options->verbose);
		launch.memory_limit = config.memory;
		launch.time_ms = config.time_ms;
		r = load_plan(argv, options, &config, &launch, &why);
	}
	if (r == 0) {
		audit->planned = true;
		audit->plan_static_tls = LE32(launch.plan.view.header->static_tls);
	}
	if (r == 0 && prefetch_is_warm(launch.plan.data)) {
		why = "everything is cached already";
		r = -EALREADY;
		if (launch.refresh && store_plan_is_stale(launch.plan_path))
			launch_planner(plan_program(&launch.plan.view), launch.plan_path);
	}
	if (r == 0) {
		if (options->verbose)
			verb_note("prefetching %u file%s for '%s'%s", launch.plan.view.file_count,
				plural(launch.plan.view.file_count), program, kind_of_plan(&launch));
		why = "the prefetcher cannot be started";
		r = launch_prefetcher(&launch);
	}
	if (r < 0 && (options->verbose || (options->plan && r != -EALREADY && r != -ECANCELED)))
		say_why_not(program, options, r, why);
	loaded_plan_release(&launch.plan);
	free(launch.plan_path);
}

int cmd_run(int argc, char **argv)
{
	struct run_options options = {0};
	_cleanup_free_ char *canonical = NULL;
	struct audit_request audit = {0};
	int r, error, status = parse_options(argc, argv, &options);

	if (status >= 0)
		return status;
	argv += optind;
	prefetch(argv, &options, &audit);
	audit.program = argv[0];
	audit.load = options.audit && !why_not();
	r = audit_environment(&audit);
	if (r < 0 && options.verbose)
		verb_note("'%s' is started without the audit shim: %s", argv[0],
			r == -ENOTSUP ? "its loader ignores LD_AUDIT" : strerror(-r));
	execvp(argv[0], argv);
	error = errno;
	status = error == ENOENT ? 127 : 126;
	if (error == ENOENT && !strchr(argv[0], '/') && store_program_path(argv[0], &canonical) < 0)
		verb_fail("'%s' is not in PATH: give its whole path", argv[0]);
	else
		verb_fail_errno(error, "cannot start '%s'", argv[0]);
	return status;
}
