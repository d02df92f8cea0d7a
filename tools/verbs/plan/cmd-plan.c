/* SPDX-License-Identifier: MIT */
/* headstart plan: compiles a profile for this machine. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/files/no-state-folder.h"
#include "lib/files/output.h"
#include "lib/files/store-turn.h"
#include "lib/options/values.h"
#include "lib/settings/plan-settings.h"
#include "lib/settings/settings.h"
#include "plan/publish.h"
#include "plan/store/store.h"
#include "verb.h"
#include "verbs/plan/plan.h"

static const char help[] =
	"usage: headstart plan [OPTION…] PROFILE\n"
	"       headstart plan [OPTION…] --program PROGRAM\n"
	"       headstart plan --mark-stale\n"
	"Compiles a profile for this machine: the files that have not changed, in the order in which this\n"
	"machine's disk reads them best. 'headstart record' does this by itself.\n"
	"\n"
	"options:\n"
	"      --program PROGRAM  take the stored profile of PROGRAM\n"
	"  -o, --output FILE      write the plan to FILE instead of where 'headstart run' finds it\n"
	"      --at PROGRAM       begin where the start executes PROGRAM, and plan for that program\n"
	"      --device CLASS     auto (the default), rotational, solid or lazy\n"
	"      --budget SIZE      read at most SIZE bytes (suffixes K, M, G), those touched first\n"
	"      --min-runs N       leave out what fewer than N of the recorded runs touched\n"
	"      --root FOLDER      the profile's paths lie under FOLDER (an image)\n"
	"      --no-metadata      leave out what file systems read to find the files\n"
	"      --json             print the summary as JSON\n"
	"      --mark-stale       only mark and list this user's plans that an upgrade has made stale: their\n"
	"                         files have changed, or an older headstart has made them\n"
	"  -h, --help             print this\n";

/* A number of bytes, 1 or more, with an optional suffix of a power of 1024. */
static bool parse_size(const char *text, uint64_t *ret)
{
	static const char suffixes[] = "KMG";
	size_t length = strlen(text);
	const char *suffix = length > 0 ? strchr(suffixes, text[length - 1]) : NULL;
	unsigned shift = suffix ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
	_cleanup_free_ char *digits = strndup(text, suffix ? length - 1 : length);
	unsigned long long number;

	if (!digits || !verb_parse_u64(digits, &number) || number == 0 || number > UINT64_MAX >> shift)
		return false;
	*ret = number << shift;
	return true;
}

static int take_size(const char *verb, const char *value, void *to)
{
	return parse_size(value, to)
		? 0
		: verb_usage(
			  verb, "'%s' is not a size above 0, such as 64M: use digits, and K, M or G", value);
}

static int take_runs(const char *verb, const char *value, void *to)
{
	unsigned long long number;

	if (!verb_parse_u64(value, &number) || number == 0 || number > UINT32_MAX)
		return verb_usage(verb, "'%s' is not a number of runs, such as 2", value);
	*(uint32_t *)to = (uint32_t)number;
	return 0;
}

/* Returns -1 to go on, or the exit status. */
static int parse_arguments(int argc, char **argv, struct plan_arguments *arguments)
{
	struct plan_options *plan = &arguments->options;
	const struct option_row options[] = {
		{"program", .text = &arguments->program},
		{"output", 'o', .text = &arguments->output},
		{"at", .text = &arguments->at},
		{"device", .take = option_take_class, .to = &plan->device},
		{"budget", .take = take_size, .to = &plan->budget},
		{"min-runs", .take = take_runs, .to = &plan->min_runs},
		{"root", .text = &plan->root},
		{"no-metadata", .flag = &plan->no_metadata},
		{"json", .flag = &arguments->json},
		{"mark-stale", .flag = &arguments->mark_stale},
		{0},
	};
	int status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (arguments->mark_stale)
		return argc == 2 ? -1
				 : verb_usage("plan", "--mark-stale takes no arguments and no other options");
	if (argc - optind > 1)
		return verb_usage("plan", "unexpected argument '%s': give one profile", argv[optind + 1]);
	arguments->profile = argv[optind];
	if (!arguments->profile && !arguments->program)
		return verb_usage("plan", "give PROFILE or --program PROGRAM");
	if (arguments->profile && arguments->program)
		return verb_usage("plan", "give either PROFILE or --program PROGRAM, not both");
	return -1;
}

/* Returns 0, or an exit status after printing the reason. *ret, malloc()ed, is the caller's. */
static int output_path(const char *output, const char *program, char **ret)
{
	int r;

	if (!output) {
		r = store_path_for_writing(STORE_PLAN, program, ret);
		return r < 0 ? no_state_folder(r, "-o FILE puts the plan elsewhere") : 0;
	}
	r = output_check(output);
	if (r)
		return r;
	*ret = strdup(output);
	return *ret ? 0 : verb_fail_errno(ENOMEM, "cannot write '%s'", output);
}

/* Why nothing is left to read, by what was left out. */
static int nothing_to_read(const char *program, const struct plan_summary *summary, bool limited)
{
	const struct {
		size_t n;
		const char *what;
	} left_out[] = {
		{summary->stale, "changed since the recording"},
		{summary->gone, "gone"},
		{summary->in_memory, "in memory"},
		{summary->uncached, "never cached"},
		{summary->others, "not root's alone"},
	};
	char why[256] = "";

	for (size_t i = 0; i < sizeof(left_out) / sizeof(*left_out); i++)
		if (left_out[i].n > 0)
			snprintf(why + strlen(why), sizeof(why) - strlen(why), "%s%zu %s",
				*why ? ", " : "; files left out: ", left_out[i].n, left_out[i].what);
	return verb_fail("there is nothing to read ahead for '%s' here%s%s%s", program,
		limited ? " within the limits that were given" : "", why,
		*why || limited ? "" : ": the recording touched no file on a disk");
}

static int build_failed(int error, const char *program, const struct plan_summary *summary,
	const struct plan_options *options)
{
	if (error == -ENODATA)
		return nothing_to_read(program, summary, summary->limited || options->root);
	if (error == -EFBIG)
		return verb_fail("the plan of '%s' would be too large; give a --budget", program);
	return verb_fail_errno(error, "cannot make the plan of '%s'", program);
}

/*
 * Programs use a plan in the store, so the settings must allow it. A plan that goes to another file needs no
 * permission.
 */
static int check_allowed(
	const struct plan_arguments *arguments, const struct config *config, const char *program)
{
	_cleanup_free_ char *why = NULL;
	int r;

	if (arguments->output || settings_allow(config, program, &why))
		return 0;
	r = plan_remove(program);
	if (r < 0)
		return verb_fail_errno(r, "cannot remove the plan of '%s', which the settings deny", program);
	return verb_fail("no plan was made for '%s': %s", program, why ? why : "denied");
}

/* Writes one plan of all recordings together to a file. */
static int compile_to_file(
	const struct plan_arguments *arguments, struct recordings *recordings, struct plan_summary *summary)
{
	_cleanup_free_ void *data = NULL;
	size_t size;
	int r = plan_merge_all(recordings);

	if (r == 0)
		r = plan_build(recordings->items, &arguments->options, &data, &size, summary);
	plan_note_left_out(summary, recordings->items->program);
	if (r < 0)
		return build_failed(r, recordings->items->program, summary, &arguments->options);
	r = output_check(arguments->output);
	if (r)
		return r;
	r = store_publish_plan(arguments->output, output_mode(), data, size);
	return r < 0 ? verb_fail_errno(r, "cannot write '%s'", arguments->output) : 0;
}

/* Puts the plans of all recordings where starts find them. */
static int compile_to_store(
	struct plan_arguments *arguments, struct recordings *recordings, struct plan_summary *summary)
{
	const char *program = recordings->items->program;
	char rule[ASKED_RULE_MAX];
	int r;

	plan_host(program, rule, &arguments->options);
	r = plan_publish(recordings, &arguments->options, summary);
	plan_note_left_out(summary, program);
	return r < 0 ? build_failed(r, program, summary, &arguments->options) : 0;
}

/* What no recording can fulfil. Returns 0, or an exit status after printing the reason. */
static int check_options(const struct plan_options *options, const struct recordings *recordings)
{
	uint64_t runs = 0;

	if (options->root && access(options->root, X_OK) < 0)
		return verb_fail_errno(errno, "cannot enter the folder '%s'", options->root);
	for (size_t i = 0; i < recordings->n; i++)
		runs += recordings->items[i].runs;
	if (options->min_runs > runs)
		return verb_fail("no page was touched by %u runs: the profile of '%s' has %llu",
			options->min_runs, recordings->items->program, (unsigned long long)runs);
	return 0;
}

static int compile(struct plan_arguments *arguments, struct recordings *recordings)
{
	_cleanup_(config_releasep) struct config config = {0};
	_cleanup_free_ char *path = NULL;
	struct plan_summary summary = {0};
	const char *program;
	int r;

	r = check_options(&arguments->options, recordings);
	if (r)
		return r;
	settings_read(&config, true, false);
	r = check_allowed(arguments, &config, recordings->items->program);
	if (r == 0)
		r = output_path(arguments->output, recordings->items->program, &path);
	if (r)
		return r;
	plan_settings(&config, &arguments->options);
	r = arguments->output ? compile_to_file(arguments, recordings, &summary)
			      : compile_to_store(arguments, recordings, &summary);
	if (r)
		return r;
	program = recordings->items->program;
	return plan_report(program, path, &summary, arguments->json);
}

int cmd_plan(int argc, char **argv)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	struct plan_arguments arguments = {0};
	_cleanup_close_ int lock = -1;
	int status = parse_arguments(argc, argv, &arguments);

	if (status >= 0)
		return status;
	if (arguments.mark_stale)
		return plan_mark_plans();
	if (arguments.program && !arguments.output)
		status = store_turn_take(&lock);
	if (status > 0)
		return status;
	status = plan_load_recordings(&arguments, &recordings);
	return status ? status : compile(&arguments, &recordings);
}
