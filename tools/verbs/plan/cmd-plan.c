/* SPDX-License-Identifier: MIT */
/* headstart plan: compiles a profile for this machine. */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "lib/input.h"
#include "lib/option-values.h"
#include "lib/output.h"
#include "lib/page-style.h"
#include "lib/plan-settings.h"
#include "lib/print-json.h"
#include "lib/settings.h"
#include "lib/stranger-refusal.h"
#include "plan/publish.h"
#include "plan/store/store.h"
#include "report/json-text.h"
#include "verb.h"
#include "verbs/plan/marks.h"

struct plan_arguments {
	const char *output;  /* NULL: the store */
	const char *profile; /* a file; NULL: the program's profile in the store */
	const char *program; /* used if profile is NULL */
	const char *at;      /* program at which the plan begins, or NULL */
	bool json;
	bool mark_stale; /* and nothing else */
	struct plan_options options;
};

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
	"      --device CLASS     auto (the default), rotational or solid\n"
	"      --budget SIZE      read at most SIZE bytes (suffixes K, M, G), those touched first\n"
	"      --min-runs N       leave out what fewer than N of the recorded runs touched\n"
	"      --root FOLDER      the profile's paths lie under FOLDER (an image)\n"
	"      --no-metadata      leave out what file systems read to find the files\n"
	"      --json             print the summary as JSON\n"
	"      --mark-stale       only mark and list this user's plans whose files have changed, for example\n"
	"                         by an upgrade\n"
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
		: verb_usage(verb, "'%s' is not a size: use digits, and K, M or G", value);
}

static int take_runs(const char *verb, const char *value, void *to)
{
	unsigned long long number;

	if (!verb_parse_u64(value, &number) || number == 0 || number > UINT32_MAX)
		return verb_usage(verb, "'%s' is not a number of runs", value);
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

/*
 * The path of a program's profile in the store. A program of an image is not on this system, so its path is taken as it
 * is.
 */
static int find_profile(const char *program, char **ret)
{
	_cleanup_free_ char *canonical = NULL;
	int r = store_program_path(program, &canonical);

	if (r < 0 && program[0] != '/')
		return verb_fail_errno(r, "cannot find '%s'", program);
	r = store_find(STORE_PROFILE, canonical ? canonical : program, ret);
	if (r < 0)
		return verb_fail("no profile of '%s'; 'headstart record -- %s' makes one",
			canonical ? canonical : program, program);
	return 0;
}

static int load_recordings(const struct plan_arguments *arguments, struct recordings *ret)
{
	_cleanup_free_ char *found = NULL;
	const char *path = arguments->profile;
	int refused = path && arguments->output ? 0 : refuse_strange_state();

	if (refused)
		return refused;
	if (!path) {
		int status = find_profile(arguments->program, &found);

		if (status)
			return status;
		path = found;
	}
	return input_recordings(path, ret);
}

/* Puts one recording of all in place of the recordings. Returns 0 or negative errno. */
static int merge_all(struct recordings *recordings)
{
	_cleanup_(profile_releasep) struct profile all = {0};
	int r = recordings_merge(recordings, &all);

	if (r < 0)
		return r;
	recordings_release(recordings);
	return recordings_add(recordings, &all);
}

/* Makes the recordings, merged, begin at the first execution of that program. */
static int begin_at(struct recordings *recordings, const char *name)
{
	_cleanup_(profile_releasep) struct profile rest = {0};
	int r = merge_all(recordings);
	ssize_t exec;

	if (r < 0)
		return verb_fail_errno(r, "cannot begin at '%s'", name);
	exec = profile_find_exec(recordings->items, name);
	if (exec < 0)
		return verb_fail("the start of '%s' does not execute '%s'", recordings->items->program, name);
	r = profile_from_exec(recordings->items, (size_t)exec, &rest);
	if (r == 0) {
		recordings_release(recordings);
		r = recordings_add(recordings, &rest);
	}
	return r < 0 ? verb_fail_errno(r, "cannot begin at '%s'", name) : 0;
}

static int no_folder(int error)
{
	_cleanup_free_ char *folder = NULL;

	if (store_folder(&folder) < 0)
		return verb_fail_errno(error, "cannot make the folder of plans");
	return verb_fail("cannot make the folder of plans '%s': %s; -o FILE puts the plan elsewhere", folder,
		strerror(-error));
}

/* Returns 0, or an exit status after printing the reason. *ret, malloc()ed, is the caller's. */
static int output_path(const char *output, const char *program, char **ret)
{
	int r;

	if (!output) {
		r = store_path_for_writing(STORE_PLAN, program, ret);
		if (r == -ENOENT)
			return verb_fail(
				"there is no folder to keep plans in, as HOME is not set; give -o FILE");
		return r < 0 ? no_folder(r) : 0;
	}
	r = output_check(output);
	if (r)
		return r;
	*ret = strdup(output);
	return *ret ? 0 : verb_fail_errno(ENOMEM, "cannot write '%s'", output);
}

static const char *order_name(const struct plan_summary *summary)
{
	return summary->device == DEVICE_ROTATIONAL ? "physical" : "touch";
}

static int print_result(const char *program, const char *path, const struct plan_summary *summary)
{
	struct json_object *json = json_object_new_object();

	json_object_object_add(json, "program", json_text(program));
	json_object_object_add(json, "plan", json_text(path));
	json_object_object_add(json, "starts", json_object_new_uint64(summary->starts));
	json_object_object_add(json, "files", json_object_new_uint64(summary->files));
	json_object_object_add(json, "stale", json_object_new_uint64(summary->stale));
	json_object_object_add(json, "gone", json_object_new_uint64(summary->gone));
	json_object_object_add(json, "guessed", json_object_new_uint64(summary->guessed));
	json_object_object_add(json, "in_memory", json_object_new_uint64(summary->in_memory));
	json_object_object_add(json, "uncached", json_object_new_uint64(summary->uncached));
	json_object_object_add(json, "others", json_object_new_uint64(summary->others));
	json_object_object_add(json, "extents", json_object_new_uint64(summary->extents));
	json_object_object_add(json, "bytes", json_object_new_uint64(summary->bytes));
	json_object_object_add(json, "gap_bytes", json_object_new_uint64(summary->gap_bytes));
	json_object_object_add(json, "metadata_bytes", json_object_new_uint64(summary->metadata));
	json_object_object_add(json, "device", json_object_new_string(device_class_name(summary->device)));
	json_object_object_add(json, "order", json_object_new_string(order_name(summary)));
	json_object_object_add(json, "wait_ms", json_object_new_uint64(summary->wait_ms));
	return print_json(json, JSON_C_TO_STRING_PRETTY);
}

static int print_text(const char *program, const char *path, const struct plan_summary *summary)
{
	page_line("program  ", program, "");
	page_line("plan     ", path, "");
	if (summary->starts > 0)
		printf("starts   %zu with a plan of their own; what follows is for all others\n",
			summary->starts);
	printf("files    %zu; left out: %zu changed, %zu missing, %zu in memory, %zu uncached\n",
		summary->files, summary->stale, summary->gone, summary->in_memory, summary->uncached);
	if (summary->guessed > 0)
		printf("guessed  %zu of these files: they were updated since the recording\n",
			summary->guessed);
	printf("extents  %zu\n", summary->extents);
	printf("data     %.1f MB, %.1f MB of it gaps\n", (double)summary->bytes / 1e6,
		(double)summary->gap_bytes / 1e6);
	if (summary->metadata > 0)
		printf("metadata %.1f MB, read first where the prefetcher is root's\n",
			(double)summary->metadata / 1e6);
	printf("device   %s\n", device_class_name(summary->device));
	printf("order    %s\n", order_name(summary));
	if (summary->wait_ms)
		printf("wait     %u ms at most\n", summary->wait_ms);
	else
		printf("wait     no\n");
	return 0;
}

static int build_failed(int error, const char *program)
{
	if (error == -ENODATA)
		return verb_fail(
			"there is nothing to read ahead for '%s' here: its files are gone, changed or in "
			"memory, or others than root can change them",
			program);
	if (error == -EFBIG)
		return verb_fail("the plan of '%s' would be too large; give a --budget", program);
	return verb_fail_errno(error, "cannot compile the profile of '%s'", program);
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
	int r = merge_all(recordings);

	if (r == 0)
		r = plan_build(recordings->items, &arguments->options, &data, &size, summary);
	plan_note_left_out(summary);
	if (r < 0)
		return build_failed(r, recordings->items->program);
	r = output_check(arguments->output);
	if (r)
		return r;
	r = store_publish_plan(arguments->output, 0644, data, size);
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
	plan_note_left_out(summary);
	return r < 0 ? build_failed(r, program) : 0;
}

static int compile(struct plan_arguments *arguments, struct recordings *recordings)
{
	_cleanup_(config_releasep) struct config config = {0};
	_cleanup_free_ char *path = NULL;
	struct plan_summary summary = {0};
	const char *program;
	int r;

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
	return arguments->json ? print_result(program, path, &summary) : print_text(program, path, &summary);
}

int cmd_plan(int argc, char **argv)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	struct plan_arguments arguments = {0};
	int status = parse_arguments(argc, argv, &arguments);

	if (status >= 0)
		return status;
	if (arguments.mark_stale)
		return mark_plans();
	status = load_recordings(&arguments, &recordings);
	if (status == 0 && arguments.at)
		status = begin_at(&recordings, arguments.at);
	return status ? status : compile(&arguments, &recordings);
}
