/* SPDX-License-Identifier: MIT */
/* headstart record: records what a cold start touches. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "lib/files/no-state-folder.h"
#include "lib/files/output.h"
#include "lib/files/stranger-refusal.h"
#include "lib/options/values.h"
#include "lib/settings/plan-settings.h"
#include "plan/asked/asked.h"
#include "plan/store/store.h"
#include "record/command/terminal.h"
#include "verb.h"
#include "verbs/record/begin.h"
#include "verbs/record/functions.h"
#include "verbs/record/keep.h"
#include "verbs/record/report.h"

static const char help[] =
	"usage: headstart record [OPTION…] [--] COMMAND [ARGUMENT…]\n"
	"Starts COMMAND from a cold page cache and records what it and everything that it starts touch.\n"
	"Without --output it stores the profile and makes a plan of it.\n"
	"\n"
	"options:\n"
	"  -o, --output FILE         write the profile to FILE, and nothing else\n"
	"  -b, --backend BACKEND     trace: the kernel's trace events; exact, needs root\n"
	"                            ptrace: follow COMMAND; needs no rights and no cold machine\n"
	"                            pagemap: look at its page tables now and then; works without ptrace\n"
	"                            auto: the first of these that works (default)\n"
	"      --functions[=OBJECT]  also record which functions of OBJECT are called, in their order; of\n"
	"                            all programs and libraries without OBJECT; may be repeated\n"
	"  -u, --until MILESTONE     exit: the command and everything it started have ended (default)\n"
	"                            window: its first window is on the screen (X11 and Xwayland)\n"
	"                            mark: 'headstart mark' was run\n"
	"                            idle:SECONDS: it has touched nothing for this long\n"
	"                            time:SECONDS: this long after the start\n"
	"  -t, --timeout SECONDS     end the recording after this time (default: 120)\n"
	"  -k, --kill                end the command when the recording has ended\n"
	"  -m, --merge               merge with the earlier recording of the same start\n"
	"  -f, --force               keep the recording even if COMMAND failed, was killed, or touched much\n"
	"                            less than at the earlier recording of the same start\n"
	"      --user NAME           run COMMAND as this user, with a terminal and an environment of its own,\n"
	"                            and also make a plan of this user's\n"
	"                            (default: the user who called sudo)\n"
	"      --no-drop             leave the page cache as it is\n"
	"      --keep-read-ahead     leave read-ahead on: faster, less exact\n"
	"      --page-cache-events   record what enters the page cache, as on Linux before 6.12\n"
	"  -q, --quiet               print nothing but errors\n"
	"      --json                print the summary as one JSON object\n"
	"  -h, --help                print this\n";

/* What the command is asked for, found out before it changes anything. */
static void find_asked(struct record_job *job)
{
	struct plan_options options = {0};

	plan_host(job->program, job->rule, &options);
	job->folder = realpath(".", NULL);
	asked_by_arguments(job->rule, (const char *const *)job->record.argv, AT_FDCWD, &job->asked);
}

static int take_backend(const char *verb, const char *name, void *to)
{
	struct record_job *job = to;

	job->choose = streq(name, "auto");
	if (streq(name, "pagemap"))
		job->record.backend = RECORD_BACKEND_PAGEMAP;
	else if (streq(name, "ptrace"))
		job->record.backend = RECORD_BACKEND_PTRACE;
	else if (streq(name, "trace"))
		job->record.backend = RECORD_BACKEND_EVENTS;
	else if (!job->choose)
		return verb_usage(verb, "unknown backend '%s': use auto, trace, ptrace or pagemap", name);
	return 0;
}

static int take_functions(const char *verb, const char *object, void *to)
{
	return record_functions_add(to, object);
}

/* Returns -1 to go on, or the exit status. */
static int parse(int argc, char **argv, struct record_job *job)
{
	struct record_options *record = &job->record;
	const struct option_row options[] = {
		{"output", 'o', .text = &job->output},
		{"backend", 'b', .take = take_backend, .to = job},
		{"until", 'u', .take = option_take_milestone, .to = &record->until},
		{"timeout", 't', .take = option_take_seconds, .to = &record->timeout},
		{"kill", 'k', .flag = &job->kill},
		{"merge", 'm', .flag = &job->merge},
		{"force", 'f', .flag = &job->force},
		{"user", .text = &record->user},
		{"no-drop", .flag = &record->keep_cache},
		{"keep-read-ahead", .flag = &record->keep_read_ahead},
		{"page-cache-events", .flag = &record->page_cache_events},
		{"functions", .take = take_functions, .to = job, .optional = true},
		{"quiet", 'q', .flag = &job->quiet},
		{"json", .flag = &job->json},
		{0},
	};
	int status = options_parse_before_command(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (optind == argc)
		return verb_usage("record", "no command given");
	if (job->merge && job->output)
		return verb_usage("record",
			"--merge works on the stored profile: leave out -o, or use 'headstart merge'");
	job->record.argv = argv + optind;
	return -1;
}

static int record(struct record_job *job)
{
	const bool show = !job->quiet && isatty(STDERR_FILENO);
	_cleanup_free_ char *path = NULL;
	struct record_result result;
	enum record_step step;
	int err, r;

	if (job->record.until.kind == MILESTONE_MARK && !job->quiet)
		verb_note(
			"recording '%s': to end it, run 'headstart mark' in the command, or elsewhere with "
			"this name",
			job->recording);
	if (job->refused && !job->quiet)
		record_report_backend(job);
	job->record.sound_disks = !job->output && !job->record.keep_cache;
	job->record.progress = show ? record_report_progress : NULL;
	err = record_run(&job->record, &result, &step);
	if (err)
		return record_report_failure(step, err, job);
	terminal_end_line(result.terminal);
	r = record_keep(job, &result, &path);
	if (r == 0 && job->json)
		r = record_report_json(job, &result, path);
	else if (r == 0 && !job->quiet)
		record_report_text(job, &result, path);
	fflush(stdout);
	if (result.running && !job->quiet && !job->kill)
		record_report_goes_on(job, &result);
	err = record_wait(&result, job->kill);
	record_report_left(job, err);
	/* If the recording was not kept because of the status, the status has been told. */
	if (!err && !job->quiet && !job->kill && (r == 0 || result.profile.status == 0))
		record_report_status(&result, job->record.argv[0]);
	record_result_release(&result);
	return r;
}

/* Returns 0, or an exit status after printing why this backend cannot do what it was asked to. */
static int choose_backend(struct record_job *job)
{
	const char *name;

	if (job->choose)
		record_choose_backend(job);
	name = job->record.backend == RECORD_BACKEND_PAGEMAP ? "pagemap" : "ptrace";
	if (geteuid() != 0 && job->record.backend == RECORD_BACKEND_EVENTS)
		return verb_fail(
			"recording by the kernel's trace events needs root: use sudo, or --backend ptrace");
	if (geteuid() != 0 && job->record.user)
		return verb_fail("--user needs root: sudo headstart record …");
	if (job->record.backend != RECORD_BACKEND_EVENTS && job->record.keep_read_ahead)
		return verb_usage("record",
			"--keep-read-ahead is for trace events: --backend %s leaves read-ahead on", name);
	if (job->record.backend != RECORD_BACKEND_EVENTS && job->record.page_cache_events)
		return verb_usage("record",
			"--page-cache-events is for trace events: leave it out, or use --backend trace");
	return 0;
}

/* A recording takes long, so this reports in advance if its profile cannot be kept. */
static int check_place(const struct record_job *job)
{
	_cleanup_free_ char *stored = NULL;
	int err;

	if (job->output)
		return output_check(job->output);
	err = refuse_strange_state();
	if (err)
		return err;
	err = store_path_for_writing(STORE_PROFILE, job->program, &stored);
	return err ? no_state_folder(err, "-o FILE writes the profile elsewhere") : output_check(stored);
}

int cmd_record(int argc, char **argv)
{
	_cleanup_(record_job_releasep) struct record_job job = {
		.record = {.timeout = 120, .until = {MILESTONE_EXIT}, .window = -1},
		.verb = "record",
		.mark = -1,
		.inside = {.results = -1},
		.makes = "profile",
		.choose = true};
	int r = parse(argc, argv, &job);

	if (r >= 0)
		return r;
	r = record_functions_check(&job);
	if (r == 0)
		r = choose_backend(&job);
	if (r)
		return r;
	if (geteuid() == 0)
		r = record_choose_user(&job);
	if (r == 0)
		r = record_find_command(&job);
	if (r == 0)
		r = check_place(&job);
	if (r)
		return r;
	find_asked(&job);
	r = record_begin(&job);
	if (r)
		return r;
	if (!job.output && job.record.backend == RECORD_BACKEND_EVENTS &&
		record_inside_init(&job.inside) == 0)
		job.record.inside = record_keep_inside_take;
	return record(&job);
}
