/* SPDX-License-Identifier: MIT */
/* One sentence for each thing that can be said of a recording, before it, while it lasts and after it. */
#include "verbs/record/report.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "lib/print/command-text.h"
#include "lib/print/print-json.h"
#include "lib/print/window-refusal.h"
#include "lib/settings/plan-settings.h"
#include "lib/settings/settings.h"
#include "lib/settings/user-namespace.h"
#include "plan/build/build.h"
#include "plan/store/store.h"
#include "profile/functions.h"
#include "record/command/terminal.h"
#include "report/json-text.h"
#include "report/touched.h"
#include "report/words.h"
#include "verb.h"
#include "verbs/record/functions.h"

/* Said when the command starts. */
static void say_how_it_ends(const struct record_job *job)
{
	const char *name = job->record.argv[0], *after = job->kill ? "is ended then" : "goes on then";
	const struct milestone *until = &job->record.until;

	switch (until->kind) {
	case MILESTONE_EXIT:
		verb_note(
			"recording until '%s' and all that it started have ended: quit it as soon as it is ready",
			name);
		break;
	case MILESTONE_WINDOW:
		verb_note("recording until the first window of '%s' is on the screen; it %s", name, after);
		break;
	case MILESTONE_IDLE:
		verb_note("recording until '%s' has touched nothing for %g s; it %s", name, until->seconds,
			after);
		break;
	case MILESTONE_TIME:
		verb_note("recording for %g s; '%s' %s", until->seconds, name, after);
		break;
	default: /* of a mark everybody is told */
		break;
	}
}

/*
 * A command of another user writes to our terminal through the recorder, which keeps its output and our line apart. Any
 * other command writes there by itself, and our line would stand in the middle of its own: so there is none.
 */
void record_report_progress(void *context, const struct record_progress *progress)
{
	const struct record_job *job = context;
	char text[128];

	if (progress->begins)
		say_how_it_ends(job);
	if (progress->begins || !progress->terminal)
		return;
	snprintf(text, sizeof(text), "headstart: recording, %.0f s, %zu event%s, %zu file%s ",
		progress->seconds, progress->events, plural(progress->events), progress->files,
		plural(progress->files));
	terminal_tell(progress->terminal, text);
}

void record_report_backend(const struct record_job *job)
{
	const char *why = job->refused == -EPERM ? "trace events need root"
		: in_user_namespace()            ? "trace events need root of the whole machine"
		: job->refused == -EACCES        ? "the kernel refuses trace events here"
						 : "this kernel has no trace events of the page cache";

	if (job->no_ptrace)
		verb_note(
			"recording by page tables, since %s and ptrace is refused: what is short-lived, or read "
			"without being mapped, may be missing",
			why);
	else
		verb_note("recording by ptrace, since %s: the pages are known less exactly", why);
}

void record_report_left(const struct record_job *job, int err)
{
	if (err == -EPERM && job->kill && !job->quiet)
		verb_note("something that '%s' has started could not be ended, and goes on",
			job->record.argv[0]);
}

void record_report_goes_on(const struct record_job *job, const struct record_result *result)
{
	if (result->follow)
		verb_note(
			"the recording has ended; '%s' goes on, and this process must stay as long as it does",
			job->record.argv[0]);
	else
		verb_note("the recording has ended; '%s' goes on", job->record.argv[0]);
}

int record_report_tracefs(int err, const char *verb)
{
	if ((err == -EPERM || err == -EACCES) && in_user_namespace())
		return verb_fail(
			"trace events need root of the whole machine, and this is root of a user namespace: "
			"type 'sudo headstart %s' outside of it",
			verb);
	if (err == -EBUSY)
		return verb_fail(
			"another recording is running on this machine: end that 'headstart record', 'trace' or "
			"'watch' first");
	if (err == -EPERM || err == -EACCES)
		return verb_fail(
			"the kernel refuses trace events here: run 'headstart %s' outside of the "
			"container, or the container with all privileges",
			verb);
	if (err == -ENODEV || err == -ENOENT)
		return verb_fail("this kernel has no tracefs (CONFIG_TRACING)");
	return verb_fail_errno(err, "cannot %s", record_step_text(RECORD_STEP_TRACEFS));
}

int record_report_failure(enum record_step step, int err, const struct record_job *job)
{
	const char *name = job->record.argv[0];

	if (step == RECORD_STEP_TRACEFS)
		return record_report_tracefs(err, job->verb);
	if (step == RECORD_STEP_FOLLOW && (err == -EPERM || err == -EACCES))
		return verb_fail(
			"this system forbids tracing '%s' by ptrace (see kernel.yama.ptrace_scope): record as root "
			"with --backend trace, or with --backend pagemap",
			name);
	if (step == RECORD_STEP_FOLLOW && err == -EOPNOTSUPP)
		return verb_fail(
			"--backend ptrace does not know this processor: use --backend pagemap, or record as root");
	if (step == RECORD_STEP_TRACER && err == -ENOENT)
		return verb_fail("this kernel has no filemap tracepoints (CONFIG_EVENT_TRACING)");
	if (step == RECORD_STEP_MOUNTS && err == -ENOENT)
		return verb_fail("/proc is not mounted: mount it in this root");
	if (step == RECORD_STEP_COMMAND && job->record.user && err == -ENOENT)
		return verb_fail("there is no user '%s'", job->record.user);
	if (step == RECORD_STEP_COMMAND && job->record.user && err == -ENODEV)
		return verb_fail(
			"there is no /dev/ptmx to make a terminal for '%s': mount devpts, or redirect "
			"input, output and errors",
			job->record.user);
	if (step == RECORD_STEP_DROP)
		return verb_fail_errno(err, "cannot drop the page cache (--no-drop records without this)");
	if (err == -EINTR)
		return verb_fail("interrupted; no %s was written", job->makes);
	if (err == -ETIME)
		return verb_fail(
			"'%s' did not begin within 30 seconds: is it stopped, or does its file system not answer?",
			name);
	if (step == RECORD_STEP_EXEC)
		return verb_fail_errno(err, "'%s' cannot be run", name), NOT_EXECUTABLE;
	if (err == -ECONNRESET && job->record.until.kind == MILESTONE_WINDOW)
		return verb_fail("the X11 display has gone; no %s was written", job->makes);
	return verb_fail_errno(err, "cannot %s", record_step_text(step));
}

int record_report_no_window(int err, const struct record_job *job)
{
	if (err == -ENOENT && job->record.user)
		return verb_fail("there is no user '%s'", job->record.user);
	if (err == -ETIME)
		return verb_fail("cannot see windows: the X11 display does not answer; use --until idle:3");
	return window_refusal(err);
}

static uint64_t count_pages(const struct profile *profile)
{
	return profile_bytes(profile) / profile->page_size;
}

/* As 'headstart show' counts: those that were only looked at are no files of which something was read. */
static size_t count_read(const struct profile *profile)
{
	size_t n = 0;

	for (size_t i = 0; i < profile->n_files; i++)
		n += profile->files[i].n_ranges > 0;
	return n;
}

static void add_string(struct json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, json_text(value));
}

static void add_number(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_int64((int64_t)value));
}

static void add_seconds(struct json_object *object, const char *key, uint64_t milliseconds)
{
	json_object_object_add(object, key, json_object_new_double((double)milliseconds / 1e3));
}

/*
 * What the plan is expected to gain by the model of the disk: that of the user who was recorded, or that for everybody.
 * Returns whether there is a plan.
 */
static bool find_expected(
	const struct record_job *job, const struct profile *profile, struct plan_summary *ret)
{
	_cleanup_(config_releasep) struct config config = {0};
	_cleanup_free_ char *stored = NULL;
	_cleanup_free_ void *plan = NULL;
	struct plan_options options = {.asked = profile->asked};
	size_t size;

	if (job->output || store_find(STORE_PLAN, job->program, &stored) < 0)
		return false;
	settings_read(&config, true, false);
	plan_settings(&config, &options);
	options.shared = options.shared && !job->record.user;
	return plan_build(profile, &options, &plan, &size, ret) == 0;
}

/* By page tables, with or without ptrace. */
static bool is_looked_at(const struct profile *profile)
{
	return profile->backend == PROFILE_BACKEND_PTRACE || profile->backend == PROFILE_BACKEND_PAGEMAP;
}

int record_report_json(const struct record_job *job, const struct record_result *result, const char *path)
{
	const struct profile *profile = &result->profile;
	struct plan_summary expected = {0};
	struct json_object *object = json_object_new_object(), *biases = json_object_new_array();

	add_string(object, "profile", path);
	add_string(object, "program", profile->program);
	add_string(object, "milestone", profile->milestone);
	json_object_object_add(object, "seconds", json_object_new_double(result->seconds));
	add_number(object, "files", profile->n_files);
	add_number(object, "pages", count_pages(profile));
	add_number(object, "bytes", touched_bytes(profile));
	add_number(object, "execs", profile->n_execs);
	add_number(object, "runs", profile->runs);
	add_number(object, "events", result->events);
	add_number(object, "events_unknown", result->events_unknown);
	add_number(object, "pages_resident", result->pages_resident);
	add_number(object, "files_unnamed", result->files_unnamed);
	add_string(object, "backend", words_backend_name(profile->backend));
	if (is_looked_at(profile)) {
		add_number(object, "pages_around", result->following.pages_around);
		add_number(object, "files_kept", result->following.files_kept);
		add_number(object, "processes_unseen", result->following.processes_unseen);
	}
	if (profile->functions)
		add_number(object, "functions", profile->functions->n_calls);
	for (const struct words_bias *bias = words_biases; bias->bit; bias++)
		if (profile->bias & bias->bit)
			json_object_array_add(biases, json_object_new_string(bias->name));
	json_object_object_add(object, "bias", biases);
	if (find_expected(job, profile, &expected) && expected.alone_ms) {
		add_seconds(object, "expected_seconds_without", expected.alone_ms);
		add_seconds(object, "expected_seconds_with", expected.planned_ms);
	}
	return print_json(object, JSON_C_TO_STRING_PLAIN);
}

static int digits(double seconds)
{
	return seconds < 10 ? 2 : 1;
}

/* `measures`: recordings like this one measure the disk, if the start reads enough of it. */
static void print_expected(const struct plan_summary *plan, bool measures)
{
	double without = (double)plan->alone_ms / 1e3, with = (double)plan->planned_ms / 1e3;
	double saved = without - with;

	if (!plan->alone_ms)
		verb_note("what it saves is not known: the disk was not measured%s",
			measures ? "" : "; 'sudo headstart record' with trace events measures it");
	else if (saved < 0.005)
		verb_note("expected on this disk: no gain; the reads of a cold start take %.*f s in any case",
			digits(without), without);
	else
		verb_note(
			"expected on this disk: a cold start saves %.*f s; its reads take %.*f s in place of %.*f s",
			digits(saved), saved, digits(with), with, digits(without), without);
}

/* The next command to type, if it is short enough to be read. */
static void print_next(const struct record_job *job, const struct profile *profile)
{
	/* A program that was not recorded to its end would not end while it is measured. */
	double idle = job->record.until.kind == MILESTONE_IDLE ? job->record.until.seconds : 3;
	_cleanup_free_ char *text = command_text(job->record.argv);
	char until[48] = "";

	if (!text)
		return;
	if (job->record.until.kind == MILESTONE_WINDOW)
		snprintf(until, sizeof(until), "--until window ");
	else if (job->record.until.kind != MILESTONE_EXIT || (profile->bias & PROFILE_BIAS_TIMEOUT))
		snprintf(until, sizeof(until), "--until idle:%g ", idle);
	verb_note("to measure what it gains:  headstart measure %s--%s", until, text);
}

/* What could not be followed, and what could not be made cold. */
static void print_following(const struct follow_summary *following)
{
	const struct follow_notes *notes = &following->notes;
	char around[WORDS_MAX];

	if (notes->tracer)
		verb_note("'%s' uses ptrace itself, which fails while ptrace records it: use --backend trace",
			notes->tracer);
	if (notes->privileged)
		verb_note(
			"'%s' is set-user-ID or has capabilities, and ran without them: use --backend trace",
			notes->privileged);
	if (notes->uring)
		verb_note("a program uses io_uring: what it read by that is missing");
	if (following->serves)
		verb_note("a program serves a file system (FUSE): what it serves is missing");
	if (following->processes_unseen)
		verb_note("%zu process%s could not be looked into: what %s mapped is missing",
			following->processes_unseen, plural_of(following->processes_unseen, "", "es"),
			plural_of(following->processes_unseen, "it", "they"));
	if (following->files_kept)
		verb_note("%zu file%s could not be made cold, because other programs use %s",
			following->files_kept, plural(following->files_kept),
			plural_of(following->files_kept, "it", "them"));
	if (following->pages_around)
		verb_note("up to %s page%s mapped only because %s beside needed ones",
			words_count(following->pages_around, around),
			plural_of(following->pages_around, " was", "s were"),
			plural_of(following->pages_around, "it lies", "they lie"));
}

/* What makes the recording less than exact. */
static void print_biases(const struct record_result *result)
{
	const struct profile *profile = &result->profile;
	char resident[WORDS_MAX];
	uint32_t counted = PROFILE_BIAS_UNNAMED; /* biases that are told below, with their number */

	if (result->pages_resident)
		counted |= PROFILE_BIAS_RESIDENT;
	if (is_looked_at(profile)) {
		counted |= PROFILE_BIAS_AROUND | PROFILE_BIAS_UNSEEN;
		if (result->following.files_kept)
			counted |= PROFILE_BIAS_RESIDENT;
		print_following(&result->following);
	}
	for (const struct words_bias *bias = words_biases; bias->bit; bias++)
		if (profile->bias & bias->bit & ~counted)
			verb_note("%s", bias->meaning);
	if (result->pages_resident)
		verb_note("%s page%s already in memory and %s recorded less precisely",
			words_count(result->pages_resident, resident),
			plural_of(result->pages_resident, " was", "s were"),
			plural_of(result->pages_resident, "is", "are"));
	if (result->files_unnamed)
		verb_note(
			"%zu touched file%s of other mount namespaces %s no name here: a start from here does not read "
			"%s ahead",
			result->files_unnamed, plural(result->files_unnamed),
			plural_of(result->files_unnamed, "has", "have"),
			plural_of(result->files_unnamed, "it", "them"));
	if (result->names_by_walking)
		verb_note("fanotify is not available: file names were found by searching the file systems");
}

void record_report_text(const struct record_job *job, const struct record_result *result, const char *path)
{
	const struct profile *profile = &result->profile;
	struct plan_summary expected = {0};
	char bytes[WORDS_MAX], pages[WORDS_MAX];

	print_biases(result);
	record_functions_report(result);
	verb_note("%zu file%s, %s page%s (%s), %zu program%s, in %.1f s until %s: '%s'", count_read(profile),
		plural(count_read(profile)), words_count(count_pages(profile), pages),
		plural(count_pages(profile)), words_bytes(touched_bytes(profile), bytes), profile->n_execs,
		plural(profile->n_execs), result->seconds, profile->milestone, path);
	if (!find_expected(job, profile, &expected))
		return;
	print_expected(&expected, job->record.backend == RECORD_BACKEND_EVENTS);
	print_next(job, profile);
}

void record_report_status(const struct record_result *result, const char *name)
{
	if (WIFSIGNALED(result->status))
		verb_note("'%s' was ended by signal %d", name, WTERMSIG(result->status));
	else if (WEXITSTATUS(result->status))
		verb_note("'%s' exited with status %d", name, WEXITSTATUS(result->status));
}
