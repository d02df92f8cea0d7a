/* SPDX-License-Identifier: MIT */
/* headstart watch: shows live what a start, a process with its children, or the machine reads. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/links.h"
#include "base/strings.h"
#include "base/times.h"
#include "format/surroundings.h"
#include "lib/options/options.h"
#include "lib/options/values.h"
#include "lib/print/command-text.h"
#include "lib/print/page-style.h"
#include "record/running/attach.h"
#include "record/timelines/threads.h"
#include "verb.h"
#include "verbs/record/begin.h"
#include "verbs/record/report.h"
#include "verbs/watch/screen.h"
#include "verbs/watch/watch.h"

#define FOREVER      1e9 /* seconds */
#define INTERVAL_MIN 0.1 /* seconds */

static const char help[] =
	"usage: headstart watch [OPTION…] [PID | [--] COMMAND [ARGUMENT…]]\n"
	"Shows what is read from disks now, by which processes, and from which files: of COMMAND, which it\n"
	"starts, of process PID and its children, or, as root, of the whole machine.\n"
	"\n"
	"options:\n"
	"  -i, --interval SECONDS    show it every SECONDS (default: 1)\n"
	"  -t, --timeout SECONDS     end after this time; COMMAND goes on\n"
	"      --user NAME           run COMMAND as this user, with an environment of its own\n"
	"                            (default: the user who called sudo)\n"
	"      --json                print one JSON object each time\n"
	"      --lines               print lines on a terminal, too\n"
	"  -h, --help                print this\n";

struct request {
	struct record_job job;
	struct watching watching;
	bool lines;
};

static void request_release(struct request *request)
{
	record_job_release(&request->job);
	watching_release(&request->watching);
}

static int take_interval(const char *verb, const char *value, void *to)
{
	double *interval = to;

	if (!milestone_parse_seconds(value, interval) || *interval < INTERVAL_MIN)
		return verb_usage(verb, "'%s' is not a number of seconds from 0.1 on", value);
	return 0;
}

/* Returns -1 to go on, or an exit status. */
static int parse(int argc, char **argv, struct request *request)
{
	struct watch_output *output = &request->watching.output;
	const struct option_row rows[] = {
		{.name = "interval", .letter = 'i', .take = take_interval, .to = &output->interval},
		{.name = "timeout",
			.letter = 't',
			.take = option_take_seconds,
			.to = &request->watching.timeout},
		{.name = "user", .text = &request->job.record.user},
		{.name = "json", .flag = &output->json},
		{.name = "lines", .flag = &request->lines},
		{0},
	};
	unsigned long long pid;
	bool dashes;
	int r = options_parse_before_command(argc, argv, help, rows);

	if (r >= 0)
		return r;
	dashes = optind > 1 && streq(argv[optind - 1], "--");
	if (dashes && optind == argc)
		return verb_usage("watch", "no command given after '--'");
	if (argc - optind == 1 && !dashes && verb_parse_u64(argv[optind], &pid)) {
		if (pid == 0 || pid > INT32_MAX)
			return verb_usage("watch", "'%s' is not the number of a process", argv[optind]);
		request->watching.top = (int32_t)pid;
	} else if (optind < argc) {
		request->job.record.argv = argv + optind;
	}
	return -1;
}

/* A terminal is drawn upon, unless it is too simple for that. */
static int open_output(struct request *request)
{
	struct watch_output *output = &request->watching.output;
	const char *term = getenv("TERM");
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

	output->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!output->out) /* EINVAL: it was closed, and standard_streams_hold() has opened it to read */
		return verb_fail_errno(errno == EINVAL ? EBADF : errno, "cannot write to standard output");
	output->fd = fd;
	output->style.page = page_style(SIZE_MAX);
	output->screen =
		!output->json && !request->lines && isatty(fd) && term && *term && !streq(term, "dumb");
	return 0;
}

static void print_sum(const struct watching *watching)
{
	if (watching->output.json || !watching->live.turns)
		return;
	fflush(stdout);
	show_sum(watching->output.out, &watching->live);
	fflush(watching->output.out);
}

/* job->record.progress: the command begins. */
static void command_begins(void *context, const struct record_progress *progress)
{
	const struct watching *watching = context;

	if (progress->begins && !watching->top)
		watching_catch_signals(true);
}

static int watch_command(struct request *request)
{
	struct record_job *job = &request->job;
	struct watching *watching = &request->watching;
	struct record_result result;
	enum record_step step;
	int err, r = 0;

	job->record.context = watching;
	job->record.watch = watching_take;
	job->record.progress = command_begins;
	watching->by_command = true;
	watching->live.exact = job->record.backend == RECORD_BACKEND_EVENTS;
	written_begin(&watching->written, watching->output.screen);
	if (watching->output.screen)
		screen_begin(watching->output.fd);
	err = record_run(&job->record, &result, &step);
	watching_end(watching);
	written_end(&watching->written);
	if (err == -EINTR && !watching->error)
		return verb_fail("interrupted");
	if (err)
		return watching->error ? verb_fail_errno(watching->error, "cannot show what was seen")
				       : record_report_failure(step, err, job);
	print_sum(watching);
	if (result.running)
		verb_note("the watching has ended; '%s' goes on%s", job->record.argv[0],
			result.follow ? ", and this process must stay as long as it does" : "");
	if (result.running && !result.follow) {
		record_result_release(&result); /* it is init's from now on */
		return 0;
	}
	err = record_wait(&result, false);
	if (err < 0)
		r = verb_fail_errno(err, "cannot wait for '%s'", job->record.argv[0]);
	else
		record_report_status(&result, job->record.argv[0]);
	if (err == 0)
		r = WIFSIGNALED(result.status) ? 128 + WTERMSIG(result.status) : WEXITSTATUS(result.status);
	record_result_release(&result);
	return r;
}

static int prepare_command(struct request *request)
{
	struct record_job *job = &request->job;
	int r = 0;

	if (geteuid() != 0 && job->record.user)
		return verb_fail("--user needs root: sudo headstart watch …");
	record_choose_backend(job);
	if (geteuid() == 0)
		r = record_choose_user(job);
	return r == 0 ? record_find_command(job) : r;
}

static int watch_start(struct request *request)
{
	_cleanup_free_ char *title = NULL;
	int r = prepare_command(request);

	if (r)
		return r;
	title = command_text(request->job.record.argv);
	request->watching.output.style.title =
		title ? title + strspn(title, " ") : request->job.record.argv[0];
	if (request->job.refused)
		verb_note("trace events need root: this shows what is touched, not what is read from disks");
	return watch_command(request);
}

static int report_failure(const struct watching *watching, enum record_step step, int err)
{
	if (watching->error)
		return verb_fail_errno(watching->error, "cannot show what was seen");
	if (err == -ESRCH && watching->top)
		return verb_fail("there is no process %d", watching->top);
	if (err == -EACCES && step == RECORD_STEP_FOLLOW)
		return verb_fail("process %d may not be looked into: use sudo", watching->top);
	if (step == RECORD_STEP_TRACEFS)
		return record_report_tracefs(err, "watch");
	return verb_fail_errno(err, "cannot %s", record_step_text(step));
}

/* attach_options.begun: what begins from now on, the kernel reports. */
static int look_at_threads(void *context)
{
	struct watching *watching = context;
	int r = threads_add_tree(&watching->window.carry, watching->top);

	watching->window.looked = monotonic_ns();
	return r;
}

/* What is there already, by the kernel's events. */
static int attach(struct watching *watching, enum record_step *step)
{
	const struct attach_options options = {
		.top = watching->top, .begun = look_at_threads, .watch = watching_take, .context = watching};

	watching->live.exact = watching->window.attached = true;
	watching->live.began = watching->window.began = watching->shown = monotonic_ns();
	watching->window.no_calls = !watching->top;
	watching->window.top = watching->top;
	return attach_run(&options, step);
}

static int look(struct watching *watching, enum record_step *step)
{
	const struct attach_options options = {
		.top = watching->top, .watch = watching_take, .context = watching};

	watching->look.comes_late = true;
	return attach_look(&options, step);
}

/* Why the machine cannot be watched; `refused` is of the trace events, or 0. */
static int refuse_machine(int refused)
{
	if (geteuid() != 0)
		return verb_fail(
			"watching the machine reads the kernel's trace events and needs root: "
			"sudo headstart watch");
	if (refused < 0)
		return record_report_tracefs(refused, "watch");
	return verb_fail(
		"processes have numbers of their own in this container: run 'headstart watch' outside of it");
}

static int watch_running(struct request *request)
{
	struct watching *watching = &request->watching;
	const int refused = record_probe_events();
	bool events = refused == 0 && link_is(SURROUNDINGS_PID_NAMESPACE, SURROUNDINGS_FIRST);
	enum record_step step;
	char title[32];
	int r;

	if (request->job.record.user)
		return verb_usage("watch", "--user is for a command that is started");
	if (!watching->top && !events)
		return refuse_machine(refused);
	if (watching->top && kill(watching->top, 0) < 0 && errno == ESRCH)
		return verb_fail("there is no process %d", watching->top);
	snprintf(title, sizeof(title), "process %d", watching->top);
	watching->output.style.title = watching->top ? title : "the machine";
	watching_catch_signals(false);
	if (watching->output.screen)
		screen_begin(watching->output.fd);
	r = events ? attach(watching, &step) : look(watching, &step);
	watching_end(watching);
	if (r < 0)
		return report_failure(watching, step, r);
	print_sum(watching);
	return 0;
}

int cmd_watch(int argc, char **argv)
{
	_cleanup_(request_release) struct request request = {.job = {.record = {.timeout = FOREVER,
									     .until = {MILESTONE_EXIT},
									     .mark = -1,
									     .window = -1,
									     .keep_cache = true,
									     .keep_read_ahead = true},
								     .mark = -1,
								     .inside = {.results = -1},
								     .verb = "watch",
								     .makes = "profile"},
		.watching = {.output = {.interval = 1}}};
	int r = parse(argc, argv, &request);

	if (r >= 0)
		return r;
	r = open_output(&request);
	if (r)
		return r;
	return request.job.record.argv ? watch_start(&request) : watch_running(&request);
}
