/* SPDX-License-Identifier: MIT */
/* headstart trace: writes the timeline of one ordinary start. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/files/output.h"
#include "lib/options/values.h"
#include "lib/print/command-text.h"
#include "plan/build/time/cost.h"
#include "plan/store/disks.h"
#include "record/command/terminal.h"
#include "record/timelines/expect.h"
#include "report/timelines/report.h"
#include "timeline/timeline-file.h"
#include "verb.h"
#include "verbs/record/begin.h"
#include "verbs/record/output.h"
#include "verbs/record/report.h"

static const char help[] =
	"usage: headstart trace [OPTION…] -o FILE [--] COMMAND [ARGUMENT…]\n"
	"Starts COMMAND from a cold page cache, with read-ahead as it is, and writes what each of its threads\n"
	"did when, and each read, to FILE. 'headstart report FILE' shows where the time went.\n"
	"\n"
	"options:\n"
	"  -o, --output FILE         write the timeline to FILE\n"
	"  -u, --until MILESTONE     exit: the command and everything it started have ended (default)\n"
	"                            window: its first window is on the screen (X11 and Xwayland)\n"
	"                            mark: 'headstart mark' was run\n"
	"                            idle:SECONDS: it has touched nothing for this long\n"
	"                            time:SECONDS: this long after the start\n"
	"  -t, --timeout SECONDS     end the trace after this time (default: 120)\n"
	"  -k, --kill                end the command when the trace has ended\n"
	"      --user NAME           run COMMAND as this user, with a terminal and an environment of its own\n"
	"                            (default: the user who called sudo)\n"
	"      --no-drop             leave the page cache as it is\n"
	"  -q, --quiet               print nothing but errors\n"
	"  -h, --help                print this\n";

/* Returns -1 to go on, or the exit status. */
static int parse(int argc, char **argv, struct record_job *job)
{
	const struct option_row options[] = {
		{"output", 'o', .text = &job->output},
		{"until", 'u', .take = option_take_milestone, .to = &job->record.until},
		{"timeout", 't', .take = option_take_seconds, .to = &job->record.timeout},
		{"kill", 'k', .flag = &job->kill},
		{"user", .text = &job->record.user},
		{"no-drop", .flag = &job->record.keep_cache},
		{"quiet", 'q', .flag = &job->quiet},
		{0},
	};
	int status = options_parse_before_command(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (optind == argc)
		return verb_usage("trace", "no command given");
	if (!job->output)
		return verb_usage("trace", "no file given to write to: use -o FILE");
	job->record.argv = argv + optind;
	return -1;
}

/* A disk, with what it was measured to be. */
static int find_disk(uint32_t number, struct device *ret)
{
	int r = device_of_number(makedev(number >> 20, number & 0xfffff), ret);

	if (r == 0)
		disks_apply(ret);
	return r;
}

/* Only its owner may read a timeline. */
static int save(const void *timeline, const char *path)
{
	return timeline_save(timeline, path);
}

/* Returns 0, or an exit status after printing the reason. */
static int keep(const struct record_job *job, struct record_result *result)
{
	_cleanup_(sums_releasep) struct sums sums = {0};
	_cleanup_free_ char *sentence = NULL,
			    *file = command_text((char *const[]){(char *)job->output, NULL});
	int r;

	result->timeline.prefetched = expect_batch(&result->timeline, &result->disks,
		&(struct expect_knowledge){.find = find_disk, .complete = plan_model_of});
	r = record_write_output(job->record.user, job->output, save, &result->timeline);
	if (r < 0)
		return verb_fail_errno(r, "cannot write '%s'", job->output);
	if (job->quiet)
		return 0;
	if (sums_make(&result->timeline, &sums) == 0)
		sentence = report_timeline_sentence(&result->timeline, &sums);
	if (result->timeline.lost)
		verb_note("the kernel dropped events: some times and reads are missing or wrong");
	if (sentence)
		verb_note("%s", sentence);
	if (file)
		verb_note("for more, type:  headstart report%s", file);
	return 0;
}

static int trace(struct record_job *job)
{
	struct record_result result;
	enum record_step step;
	int err, r;

	if (!job->quiet && isatty(STDERR_FILENO))
		job->record.progress = record_report_progress;
	err = record_run(&job->record, &result, &step);
	if (err)
		return record_report_failure(step, err, job);
	terminal_end_line(result.terminal);
	r = keep(job, &result);
	if (result.running && !job->quiet && !job->kill)
		verb_note("the trace has ended; '%s' goes on", job->record.argv[0]);
	err = record_wait(&result, job->kill);
	record_report_left(job, err);
	if (!err && !job->quiet && !job->kill)
		record_report_status(&result, job->record.argv[0]);
	profile_release(&result.profile);
	record_disks_release(&result.disks);
	timeline_release(&result.timeline);
	return r;
}

int cmd_trace(int argc, char **argv)
{
	_cleanup_(record_job_releasep) struct record_job job = {.record = {.timeout = 120,
									.until = {MILESTONE_EXIT},
									.window = -1,
									.keep_read_ahead = true,
									.timeline = true},
		.mark = -1,
		.inside = {.results = -1},
		.verb = "trace",
		.makes = "timeline"};
	int r = parse(argc, argv, &job);

	if (r >= 0)
		return r;
	if (geteuid() != 0)
		return verb_fail(
			"tracing reads the kernel's trace events and needs root: sudo headstart trace …");
	r = record_choose_user(&job);
	if (r == 0)
		r = record_find_command(&job);
	if (r == 0)
		r = output_check(job.output);
	if (r == 0)
		r = record_begin(&job);
	return r ? r : trace(&job);
}
