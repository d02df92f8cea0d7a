/* SPDX-License-Identifier: MIT */
/* One sentence for each thing that can be said of a recording, before it, while it lasts and after it. */
#include "verbs/record/report.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "lib/print-json.h"
#include "lib/user-namespace.h"
#include "plan/store/store.h"
#include "record/command/terminal.h"
#include "report/json-text.h"
#include "report/words.h"
#include "verb.h"

#define NEXT_MAX 200 /* bytes */

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
	case MILESTONE_IDLE:
		verb_note("recording until '%s' has touched nothing new for %g s; it %s", name,
			until->seconds, after);
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
	snprintf(text, sizeof(text), "headstart: recording, %.0f s, %zu events, %zu files ",
		progress->seconds, progress->events, progress->files);
	terminal_tell(progress->terminal, text);
}

int record_report_failure(enum record_step step, int err, const struct record_job *job)
{
	const char *name = job->record.argv[0];

	if (step == RECORD_STEP_TRACEFS && (err == -EPERM || err == -EACCES) && in_user_namespace())
		return verb_fail(
			"recording needs root of the whole machine, and this is root of a user namespace: "
			"record from outside of it, with 'sudo headstart record -- COMMAND'");

	if (step == RECORD_STEP_TRACEFS && err == -EBUSY)
		return verb_fail("another recording is running on this machine");
	if (step == RECORD_STEP_TRACEFS && (err == -EPERM || err == -EACCES))
		return verb_fail("the kernel refuses tracing: in a container, run it with all privileges");
	if (step == RECORD_STEP_TRACEFS && (err == -ENODEV || err == -ENOENT))
		return verb_fail("this kernel has no tracefs (CONFIG_TRACING)");
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
	if (step == RECORD_STEP_EXEC)
		return verb_fail_errno(err, "'%s' cannot be run", name), NOT_EXECUTABLE;
	if (err == -EINTR)
		return verb_fail("interrupted; no profile was written");
	return verb_fail_errno(err, "cannot %s", record_step_text(step));
}

static uint64_t count_pages(const struct profile *profile)
{
	return profile_bytes(profile) / profile->page_size;
}

static void add_string(struct json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, json_text(value));
}

static void add_number(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_int64((int64_t)value));
}

int record_report_json(const struct record_result *result, const char *path)
{
	const struct profile *profile = &result->profile;
	struct json_object *object = json_object_new_object(), *biases = json_object_new_array();

	add_string(object, "profile", path);
	add_string(object, "program", profile->program);
	add_string(object, "milestone", profile->milestone);
	json_object_object_add(object, "seconds", json_object_new_double(result->seconds));
	add_number(object, "files", profile->n_files);
	add_number(object, "pages", count_pages(profile));
	add_number(object, "bytes", profile_bytes(profile));
	add_number(object, "execs", profile->n_execs);
	add_number(object, "runs", profile->runs);
	add_number(object, "events", result->events);
	add_number(object, "events_unknown", result->events_unknown);
	add_number(object, "pages_resident", result->pages_resident);
	add_number(object, "files_unnamed", result->files_unnamed);
	for (const struct words_bias *bias = words_biases; bias->bit; bias++)
		if (profile->bias & bias->bit)
			json_object_array_add(biases, json_object_new_string(bias->name));
	json_object_object_add(object, "bias", biases);
	return print_json(object, JSON_C_TO_STRING_PLAIN);
}

/* The next commands to type, if there is a plan now and they are short enough to be read. */
static void print_next(const struct record_job *job)
{
	/* A program that was not recorded to its end would not end while it is measured. */
	double idle = job->record.until.kind == MILESTONE_IDLE ? job->record.until.seconds : 3;
	bool to_end = job->record.until.kind == MILESTONE_EXIT;
	_cleanup_free_ char *plan = NULL, *text = NULL;
	char until[48] = "";
	size_t size;
	FILE *command = NULL;

	if (job->output || store_find(STORE_PLAN, job->program, &plan) < 0)
		return;
	command = open_memstream(&text, &size);
	for (char *const *word = job->record.argv; command && *word; word++) {
		fputc(' ', command);
		quote_shell(command, *word);
	}
	if (!command || fclose(command) != 0 || size > NEXT_MAX)
		return;
	if (!to_end)
		snprintf(until, sizeof(until), "--until idle:%g ", idle);
	verb_note("to measure what it gains:  headstart measure %s--%s", until, text);
	verb_note("to start it with headstart:  headstart run --%s", text);
}

void record_report_text(const struct record_job *job, const struct record_result *result, const char *path)
{
	const struct profile *profile = &result->profile;
	char bytes[WORDS_MAX], pages[WORDS_MAX], resident[WORDS_MAX];
	uint32_t counted = PROFILE_BIAS_UNNAMED; /* biases that are told below, with their number */

	verb_note("%zu file%s, %s pages (%s), %zu program%s, in %.1f s until %s: '%s'", profile->n_files,
		words_plural(profile->n_files), words_count(count_pages(profile), pages),
		words_bytes(profile_bytes(profile), bytes), profile->n_execs, words_plural(profile->n_execs),
		result->seconds, profile->milestone, path);
	if (result->pages_resident)
		counted |= PROFILE_BIAS_RESIDENT;
	for (const struct words_bias *bias = words_biases; bias->bit; bias++)
		if (profile->bias & bias->bit & ~counted)
			verb_note("%s", bias->meaning);
	if (result->pages_resident)
		verb_note("%s page%s already in memory and %s recorded less precisely",
			words_count(result->pages_resident, resident),
			result->pages_resident == 1 ? " was" : "s were",
			result->pages_resident == 1 ? "is" : "are");
	if (result->files_unnamed)
		verb_note(
			"%zu touched file%s of other mount namespaces %s no name here: a start from here does not read "
			"%s ahead",
			result->files_unnamed, words_plural(result->files_unnamed),
			result->files_unnamed == 1 ? "has" : "have",
			result->files_unnamed == 1 ? "it" : "them");
	if (result->names_by_walking)
		verb_note("fanotify is not available: file names were found by searching the file systems");
	print_next(job);
}

void record_report_status(const struct record_result *result, const char *name)
{
	if (WIFSIGNALED(result->status))
		verb_note("'%s' was ended by signal %d", name, WTERMSIG(result->status));
	else if (WEXITSTATUS(result->status))
		verb_note("'%s' exited with status %d", name, WEXITSTATUS(result->status));
}
