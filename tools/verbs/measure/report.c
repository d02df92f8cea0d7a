/* SPDX-License-Identifier: MIT */
/* headstart measure: the figures, for people and for programs. */
#include "verbs/measure/report.h"
#include "base/plural.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "lib/print/command-text.h"
#include "lib/print/print-json.h"
#include "report/json-text.h"
#include "report/words.h"
#include "verb.h"

int measure_report_init(struct measure_report *report, const struct measure_options *options,
	const struct measure_result *result, const char *until)
{
	unsigned runs = options->runs;
	int r;

	*report = (struct measure_report){
		.options = options,
		.result = result,
		.until = until,
		.without = statistics_median(result->without, runs),
		.with = statistics_median(result->with, runs),
		.warm = statistics_median(result->warm, MEASURE_WARM_STARTS),
	};
	report->speedup = report->without / report->with;
	r = statistics_interval(result->without, runs, &report->without_interval);
	if (r == 0)
		r = statistics_interval(result->with, runs, &report->with_interval);
	if (r == 0)
		r = statistics_ratio_interval(result->without, result->with, runs, &report->speedup_interval);
	return r;
}

static void print_row(const char *name, double seconds, const struct interval *interval)
{
	printf("  %-15s %8.3f s", name, seconds);
	if (interval)
		printf("   %.3f to %.3f", interval->low, interval->high);
	putchar('\n');
}

/* What keeps the starts from being as cold as after booting. */
static void note_coldness(const struct cold_report *cold)
{
	char bytes[WORDS_MAX];

	if (cold->bytes_left)
		verb_note("%s of %u file%s stayed in memory, because other programs use %s",
			words_bytes(cold->bytes_left, bytes), cold->files_left, plural(cold->files_left),
			plural_of(cold->files_left, "it", "them"));
	if (cold->looked_left)
		verb_note(
			"%u of %u pages that were looked at stayed in memory, because other programs use them",
			cold->looked_left, cold->looked_at);
	if (cold->unreadable)
		verb_note("%u file%s of the plan %s changed or gone, or cannot be read", cold->unreadable,
			plural(cold->unreadable), plural_of(cold->unreadable, "is", "are"));
}

static void note_starts(const struct measure_report *report)
{
	const struct measure_result *result = report->result;
	const char *name = report->options->argv[0];
	unsigned starts = 1 + MEASURE_WARM_STARTS + 2 * report->options->runs;

	if (result->prefetched > 0 && result->prefetched < report->options->runs)
		verb_note(
			"headstart read ahead in %u of %u starts only: in the others, what it looks at was "
			"in memory",
			result->prefetched, report->options->runs);
	if (result->failed && WIFSIGNALED(result->status))
		verb_note("'%s' was ended by signal %d (%u of %u starts failed)", name,
			WTERMSIG(result->status), result->failed, starts);
	else if (result->failed)
		verb_note("'%s' exited with status %d (%u of %u starts failed)", name,
			WEXITSTATUS(result->status), result->failed, starts);
}

static enum verdict_kind kind_of(const struct measure_report *report)
{
	return verdict_of(&report->speedup_interval, report->result->prefetched);
}

static void note_next(const struct measure_report *report)
{
	_cleanup_free_ char *command = NULL;

	if (kind_of(report) == VERDICT_FASTER)
		command = command_text(report->options->argv);
	if (command)
		verb_note("to start it with headstart:  headstart run --%s", command);
}

static const char *milestone_text(const struct milestone *until, char buffer[64])
{
	switch (until->kind) {
	case MILESTONE_WINDOW:
		return "to the first window";
	case MILESTONE_IDLE:
		snprintf(buffer, 64, "until it was idle for %g s", until->seconds);
		return buffer;
	default:
		return "to the end";
	}
}

int measure_report_text(const struct measure_report *report)
{
	const struct cold_report *cold = &report->result->cold;
	enum verdict_kind kind = kind_of(report);
	char verdict[VERDICT_MAX], bytes[WORDS_MAX], until[64];

	fputs(verdict_text(kind, report->speedup, cold->unreadable > 0, verdict), stdout);
	if (kind == VERDICT_FASTER)
		printf(" (%.2f to %.2f)", report->speedup_interval.low, report->speedup_interval.high);
	puts("\n");
	print_row("cold, without", report->without, &report->without_interval);
	print_row("cold, with", report->with, &report->with_interval);
	print_row("warm", report->warm, NULL);
	printf("\n%u cold start%s of each kind, %s: medians and 95 %% intervals.\n", report->options->runs,
		plural(report->options->runs), milestone_text(&report->options->until, until));
	printf("Each began with %s%s of %u file%s out of memory.\n", cold->looked_at ? "at most " : "",
		words_bytes(cold->bytes - cold->bytes_left, bytes), cold->files, plural(cold->files));
	if (verb_flush())
		return VERB_FAILED;
	note_coldness(cold);
	note_starts(report);
	note_next(report);
	return 0;
}

static void add_number(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_int64((int64_t)value));
}

static void add_interval(struct json_object *object, const char *key, const struct interval *interval)
{
	struct json_object *both = json_object_new_array();

	json_object_array_add(both, json_object_new_double(interval->low));
	json_object_array_add(both, json_object_new_double(interval->high));
	json_object_object_add(object, key, both);
}

static void add_times(struct json_object *object, const char *key, const double *seconds, unsigned n,
	double median, const struct interval *interval)
{
	struct json_object *times = json_object_new_object(), *all = json_object_new_array();

	for (unsigned i = 0; i < n; i++)
		json_object_array_add(all, json_object_new_double(seconds[i]));
	json_object_object_add(times, "seconds", all);
	json_object_object_add(times, "median", json_object_new_double(median));
	if (interval)
		add_interval(times, "interval", interval);
	json_object_object_add(object, key, times);
}

static struct json_object *cold_json(const struct cold_report *cold)
{
	struct json_object *object = json_object_new_object();

	add_number(object, "files", cold->files);
	add_number(object, "bytes", cold->bytes);
	add_number(object, "files_unreadable", cold->unreadable);
	add_number(object, "files_left", cold->files_left);
	add_number(object, "bytes_left", cold->bytes_left);
	add_number(object, "pages_looked_at", cold->looked_at);
	add_number(object, "pages_left", cold->looked_left);
	return object;
}

int measure_report_json(const struct measure_report *report)
{
	const struct measure_result *result = report->result;
	struct json_object *object = json_object_new_object(), *command = json_object_new_array();
	unsigned runs = report->options->runs;

	for (char *const *word = report->options->argv; *word; word++)
		json_object_array_add(command, json_text(*word));
	json_object_object_add(object, "command", command);
	json_object_object_add(object, "plan", json_text(report->options->plan_path));
	json_object_object_add(object, "until", json_text(report->until));
	add_times(object, "without", result->without, runs, report->without, &report->without_interval);
	add_times(object, "with", result->with, runs, report->with, &report->with_interval);
	add_times(object, "warm", result->warm, MEASURE_WARM_STARTS, report->warm, NULL);
	json_object_object_add(object, "speedup", json_object_new_double(report->speedup));
	add_interval(object, "speedup_interval", &report->speedup_interval);
	json_object_object_add(object, "verdict", json_object_new_string(verdict_name(kind_of(report))));
	json_object_object_add(object, "cold", cold_json(&result->cold));
	add_number(object, "prefetched", result->prefetched);
	add_number(object, "failed", result->failed);
	return print_json(object, JSON_C_TO_STRING_PLAIN);
}
