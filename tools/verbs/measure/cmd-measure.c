/* SPDX-License-Identifier: MIT */
/* headstart measure: what headstart gains for a command, on this machine. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "format/kill-switch.h"
#include "lib/files/stranger-refusal.h"
#include "lib/options/values.h"
#include "lib/print/command-text.h"
#include "lib/print/window-refusal.h"
#include "lib/programs/launcher-path.h"
#include "lib/programs/named-program.h"
#include "lib/settings/settings.h"
#include "measure/measure.h"
#include "plan/asked/choose.h"
#include "plan/store/load.h"
#include "plan/store/store.h"
#include "verb.h"
#include "verbs/measure/report.h"

#define NOT_EXECUTABLE 126
#define INTERRUPTED    130

static const char help[] =
	"usage: headstart measure [OPTION…] [--] COMMAND [ARGUMENT…]\n"
	"Starts COMMAND from a cold page cache, with headstart and without, in turns, and says whether\n"
	"headstart makes it faster here.\n"
	"\n"
	"options:\n"
	"  -r, --runs N              cold starts of each kind, 3 to 100 (default: 5)\n"
	"  -u, --until MILESTONE     exit: the command and everything it started have ended (default)\n"
	"                            window: its first window is on the screen (X11 and Xwayland)\n"
	"                            idle:SECONDS: it has had nothing to do for this long\n"
	"  -t, --timeout SECONDS     give up if a start takes longer (default: 120)\n"
	"  -q, --quiet               do not show progress\n"
	"      --json                print the result as one JSON object\n"
	"  -h, --help                print this\n";

struct request {
	struct measure_options measure;
	const char *until;
	bool quiet, json;
	char *path;              /* owned; of the command, links not resolved */
	char *program;           /* owned; links resolved */
	char *plan_path;         /* owned */
	struct loaded_plan plan; /* owned */
	char launcher[PATH_MAX];
};

static void request_releasep(struct request *request)
{
	free(request->path);
	free(request->program);
	free(request->plan_path);
	loaded_plan_release(&request->plan);
}

static int take_runs(const char *verb, const char *value, void *to)
{
	unsigned long long runs;

	if (!verb_parse_u64(value, &runs) || runs < MEASURE_RUNS_MIN || runs > MEASURE_RUNS_MAX)
		return verb_usage(verb, "'%s' is not a number from %d to %d", value, MEASURE_RUNS_MIN,
			MEASURE_RUNS_MAX);
	*(unsigned *)to = (unsigned)runs;
	return 0;
}

static int take_until(const char *verb, const char *value, void *to)
{
	struct request *request = to;
	struct milestone *until = &request->measure.until;

	if (!milestone_parse(value, until) || until->kind == MILESTONE_MARK || until->kind == MILESTONE_TIME)
		return verb_usage(verb, "unknown milestone '%s': use exit, window or idle:SECONDS", value);
	request->until = value;
	return 0;
}

/* Returns -1 to go on, or the exit status. */
static int parse(int argc, char **argv, struct request *request)
{
	const struct option_row options[] = {
		{"runs", 'r', .take = take_runs, .to = &request->measure.runs},
		{"until", 'u', .take = take_until, .to = request},
		{"timeout", 't', .take = option_take_seconds, .to = &request->measure.timeout},
		{"quiet", 'q', .flag = &request->quiet},
		{"json", .flag = &request->json},
		{0},
	};
	int status = options_parse_before_command(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (optind == argc)
		return verb_usage("measure", "no command given");
	request->measure.argv = argv + optind;
	return -1;
}

/* All that follow return 0, or an exit status after printing the reason. */
static int check_user(void)
{
	if (geteuid() == 0 && getenv("SUDO_UID"))
		return verb_fail(
			"measuring needs no root: run 'headstart measure' without sudo, as the user of the "
			"program");
	return refuse_strange_state();
}

static int find_command(struct request *request)
{
	const char *name = request->measure.argv[0];
	int r = store_find_command(name, &request->path);

	if (r < 0)
		return program_refusal(r, name);
	request->program = realpath(request->path, NULL);
	if (!request->program)
		return program_refusal(-errno, name);
	request->measure.path = request->path;
	return 0;
}

/* The next two: otherwise both kinds of starts would be the same. */
static int check_settings(const char *program)
{
	_cleanup_(config_releasep) struct config config = {0};
	_cleanup_free_ char *why = NULL;

	settings_read(&config, true, false);
	return settings_allow(&config, program, &why) ? 0
						      : verb_fail("headstart does nothing for '%s': %s",
								program, why ? why : "the settings deny it");
}

static int check_switches(const struct request *request)
{
	const char *mode = getenv("HEADSTART");

	if (mode && streq(mode, "off"))
		return verb_fail("headstart is switched off by HEADSTART=off: type 'unset HEADSTART' first");
	if (access(KILL_SWITCH, F_OK) == 0)
		return verb_fail("headstart is switched off by '%s': delete that file first", KILL_SWITCH);
	return check_settings(request->program);
}

/* The command that records the start that was to be measured. */
static int advise_recording(const struct request *request)
{
	_cleanup_free_ char *command = command_text(request->measure.argv);
	bool goes_on = request->measure.until.kind != MILESTONE_EXIT;

	if (!command)
		return verb_fail_errno(ENOMEM, "cannot find the plan of '%s'", request->program);
	return verb_fail("there is no plan for '%s': 'sudo headstart record%s%s%s --%s' makes one",
		request->program, goes_on ? " --until " : "", goes_on ? request->until : "",
		goes_on ? " --kill" : "", command);
}

static int explain_no_plan(int error, const struct request *request)
{
	const char *program = request->program;

	_cleanup_free_ char *profile = NULL;

	if (error != -ENOENT)
		return verb_fail_errno(error, "cannot find the plan of '%s'", program);
	error = store_find(STORE_PROFILE, program, &profile);
	if (error == -EACCES)
		return no_profile(error, program, program);
	if (error == 0)
		return verb_fail(
			"'%s' was recorded, but has no plan: make it first, with 'headstart plan --program %s'",
			program, program);
	return advise_recording(request);
}

/* Finds the plan that 'headstart run' would carry out for these arguments. */
static int find_plan(struct request *request)
{
	_cleanup_(chosen_plan_releasep) struct chosen_plan chosen = {0};
	struct store store;
	int r = store_of_process(&store);

	if (r == 0)
		r = plan_choose_for_run(
			&store, request->program, (const char *const *)request->measure.argv, &chosen);
	if (r < 0)
		return explain_no_plan(r, request);
	request->plan_path = TAKE_PTR(chosen.path);
	return chosen.alias_of ? check_settings(chosen.alias_of) : 0;
}

static int load_plan(struct request *request)
{
	enum plan_fault fault = PLAN_GOOD;
	int r = find_plan(request);

	if (r)
		return r;
	r = plan_load_path(request->plan_path, &request->plan, &fault);
	if (r == -EBADMSG)
		return verb_fail("'%s' %s", request->plan_path, plan_fault_text(fault));
	if (r < 0)
		return verb_fail_errno(r, "cannot read '%s'", request->plan_path);
	request->measure.plan = &request->plan.view;
	request->measure.plan_path = request->plan_path;
	return 0;
}

static void show_progress(void *context, enum measure_kind kind, unsigned done, unsigned total)
{
	static const char *const kinds[] = {
		[MEASURE_FIRST] = "a start that does not count",
		[MEASURE_WARM] = "warm",
		[MEASURE_WITHOUT] = "cold, without headstart",
		[MEASURE_WITH] = "cold, with headstart",
	};

	fprintf(stderr, "\r\033[Kheadstart: start %u of %u: %s ", done + 1, total, kinds[kind]);
	fflush(stderr);
}

/* One sentence for each known way to fail. */
static int explain(int r, int exec_error, const struct request *request)
{
	const char *name = request->measure.argv[0];

	switch (r) {
	case -EPERM:
		return verb_fail(
			"something that '%s' has started could not be ended, so the next start would not be cold",
			name);
	case -EINTR:
		return verb_fail("interrupted; nothing was measured"), INTERRUPTED;
	case -ENOEXEC:
		return verb_fail_errno(exec_error, "'%s' cannot be run", name), NOT_EXECUTABLE;
	case -ENOTCONN:
	case -ENOSYS:
		return window_refusal(r);
	case -ECHILD:
		return verb_fail("'%s' ended before it reached '%s': use --until exit", name, request->until);
	case -ETIME:
		if (request->measure.until.kind == MILESTONE_EXIT)
			return verb_fail("'%s' did not end within %g s: use --until idle:3, or --timeout",
				name, request->measure.timeout);
		return verb_fail("'%s' did not reach '%s' within %g s: allow more with --timeout", name,
			request->until, request->measure.timeout);
	}
	return verb_fail_errno(r, "cannot measure '%s'", name);
}

static int measure(struct request *request)
{
	const bool show = !request->quiet && isatty(STDERR_FILENO);
	_cleanup_free_ struct measure_result *result = calloc(1, sizeof(*result));
	struct measure_report report;
	int exec_error = 0, r;

	if (!result)
		return verb_fail_errno(ENOMEM, "cannot measure");
	request->measure.progress = show ? show_progress : NULL;
	r = measure_run(&request->measure, result, &exec_error);
	if (show)
		fputs("\r\033[K", stderr);
	if (r < 0)
		return explain(r, exec_error, request);
	r = measure_report_init(&report, &request->measure, result, request->until);
	if (r < 0)
		return verb_fail_errno(r, "cannot compute the result");
	return request->json ? measure_report_json(&report) : measure_report_text(&report);
}

int cmd_measure(int argc, char **argv)
{
	_cleanup_(request_releasep) struct request request = {
		.measure = {.until = {MILESTONE_EXIT}, .timeout = 120, .runs = 5},
		.until = "exit",
	};
	int r = parse(argc, argv, &request);

	if (r >= 0)
		return r;
	r = check_user();
	if (r == 0)
		r = find_command(&request);
	if (r == 0)
		r = check_switches(&request);
	if (r == 0)
		r = load_plan(&request);
	if (r == 0)
		r = launcher_path(request.launcher);
	request.measure.launcher = request.launcher;
	return r ? r : measure(&request);
}
