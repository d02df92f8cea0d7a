/* SPDX-License-Identifier: MIT */
/* headstart relayout: prints the results for people and programs. */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>

#include "base/plural.h"
#include "lib/print/page-style.h"
#include "lib/print/print-json.h"
#include "report/json-text.h"
#include "report/words.h"
#include "verb.h"
#include "verbs/relayout/relayout.h"

static const char *status_name(const struct relayout_run *run, enum relayout_status status)
{
	switch (status) {
	case RELAYOUT_DONE:
		return run->batch.dry_run ? "would be relaid" : "relaid";
	case RELAYOUT_SKIPPED:
		return "skipped";
	case RELAYOUT_REFUSED:
		return "refused";
	default:
		return "failed";
	}
}

/* Whether to print a line on the file: not if it is done, nor if it was skipped and the user did not name it. */
static bool deserves_line(const struct relayout_run *run, const struct relayout_file *file)
{
	if (file->status == RELAYOUT_SKIPPED)
		return run->listed;
	return file->status != RELAYOUT_DONE;
}

static void print_reasons(const struct relayout_run *run)
{
	const struct relayout_file *advised = NULL;

	for (size_t i = 0; i < run->batch.n_files; i++) {
		const struct relayout_file *file = &run->batch.files[i];

		bool alone = file->advice && run->batch.n_files == 1;

		if (!deserves_line(run, file))
			continue;
		if (file->advice && !advised && run->batch.n_files > 1)
			advised = file;
		verb_note("'%s' %s%s%s%s%s%s", file->inside,
			file->reason ? file->reason : "failed: out of memory", alone ? "; " : "",
			alone ? file->advice : "", file->copied ? ": '" : "",
			file->copied ? file->output : "", file->copied ? "' is an unchanged copy" : "");
	}
	if (advised)
		verb_note("instead of rewriting packages' files, '%s' for example: %s", advised->inside,
			advised->advice);
}

static void print_arrow(const char *label, uint64_t before, uint64_t after)
{
	char a[WORDS_MAX], b[WORDS_MAX];

	printf("%-10s %s -> %s\n", label, words_count(before, a), words_count(after, b));
}

/* The bytes that a cold start of all of them would read. */
static void print_prediction(const struct relayout_run *run, const struct relayout_totals *totals)
{
	char a[WORDS_MAX], b[WORDS_MAX];

	printf("%10s %18s %16s %12s  %s\n", "", "pages", "reads", "PT_LOADs", "file");
	for (size_t i = 0; i < run->batch.n_files; i++) {
		const struct relayout_file *file = &run->batch.files[i];
		int before;

		if (file->status != RELAYOUT_DONE)
			continue;
		before = printf("%10s %8" PRIu64 " -> %6" PRIu64 " %6" PRIu64 " -> %6" PRIu64
				" %4zu -> %4zu  ",
			"", file->before.pages, file->after.pages, file->before.reads, file->after.reads,
			file->before.segments, file->after.segments);
		page_path(file->inside, before > 0 ? (size_t)before : 0);
	}
	print_arrow("pages", totals->before.pages, totals->after.pages);
	print_arrow("reads", totals->before.reads, totals->after.reads);
	printf("%-10s %s -> %s\n", "bytes", words_bytes(totals->before.bytes, a),
		words_bytes(totals->after.bytes, b));
	print_arrow("PT_LOADs", totals->before.segments, totals->after.segments);
}

static void print_count(size_t n, const char *what)
{
	if (n > 0)
		printf(", %zu %s", n, what);
}

static void print_summary(const struct relayout_run *run, const struct relayout_totals *totals)
{
	char hot[WORDS_MAX], before[WORDS_MAX], after[WORDS_MAX];

	if (run->batch.dry_run && totals->by_status[RELAYOUT_DONE] > 0)
		print_prediction(run, totals);
	printf(run->batch.dry_run ? "%zu of %zu file%s would be relaid" : "relaid %zu of %zu file%s",
		totals->by_status[RELAYOUT_DONE], run->batch.n_files, plural(run->batch.n_files));
	if (totals->by_status[RELAYOUT_DONE] > 0)
		printf(": %s hot, %s -> %s PT_LOADs", words_bytes(totals->hot_bytes, hot),
			words_count(totals->before.segments, before),
			words_count(totals->after.segments, after));
	print_count(totals->by_status[RELAYOUT_SKIPPED], "skipped");
	print_count(totals->by_status[RELAYOUT_REFUSED], "refused");
	print_count(totals->by_status[RELAYOUT_FAILED], "failed");
	putchar('\n');
}

static void add_count(struct json_object *to, const char *name, uint64_t value)
{
	json_object_object_add(to, name, json_object_new_uint64(value));
}

static struct json_object *reads_json(const struct relayout_reads *reads)
{
	struct json_object *json = json_object_new_object();

	add_count(json, "pages", reads->pages);
	add_count(json, "reads", reads->reads);
	add_count(json, "bytes", reads->bytes);
	add_count(json, "segments", reads->segments);
	return json;
}

static struct json_object *passes_json(const struct relayout_file *file)
{
	struct json_object *passes = json_object_new_object();

	for (size_t i = 0; i < RELAYOUT_PASSES; i++) {
		const struct relayout_pass *pass = &file->passes[i];
		struct json_object *json = json_object_new_object();

		json_object_object_add(json, "done", json_object_new_boolean(pass->outcome.done));
		add_count(json, "before", pass->outcome.before);
		add_count(json, "after", pass->outcome.after);
		if (pass->outcome.refusal)
			json_object_object_add(
				json, "refusal", json_object_new_string(pass->outcome.refusal));
		json_object_object_add(passes, pass->name, json);
	}
	return passes;
}

static struct json_object *file_json(const struct relayout_run *run, const struct relayout_file *file)
{
	struct json_object *json = json_object_new_object();

	json_object_object_add(json, "path", json_text(file->inside));
	json_object_object_add(json, "status", json_object_new_string(status_name(run, file->status)));
	if (file->output && (file->status == RELAYOUT_DONE || file->copied))
		json_object_object_add(json, "output", json_text(file->output));
	if (file->reason)
		json_object_object_add(json, "reason", json_text(file->reason));
	if (file->status != RELAYOUT_DONE)
		return json;
	add_count(json, "size_before", file->size_before);
	add_count(json, "size_after", file->size_after);
	add_count(json, "hot_bytes", file->hot_bytes);
	json_object_object_add(json, "before", reads_json(&file->before));
	json_object_object_add(json, "after", reads_json(&file->after));
	json_object_object_add(json, "passes", passes_json(file));
	return json;
}

static int print_result(const struct relayout_run *run, const struct relayout_totals *totals)
{
	struct json_object *json = json_object_new_object(), *files = json_object_new_array();

	for (size_t i = 0; i < run->batch.n_files; i++)
		json_object_array_add(files, file_json(run, &run->batch.files[i]));
	json_object_object_add(json, "profile", json_text(run->profile_path));
	json_object_object_add(json, "dry_run", json_object_new_boolean(run->batch.dry_run));
	json_object_object_add(json, "files", files);
	add_count(json, "done", totals->by_status[RELAYOUT_DONE]);
	add_count(json, "skipped", totals->by_status[RELAYOUT_SKIPPED]);
	add_count(json, "refused", totals->by_status[RELAYOUT_REFUSED]);
	add_count(json, "failed", totals->by_status[RELAYOUT_FAILED]);
	add_count(json, "hot_bytes", totals->hot_bytes);
	json_object_object_add(json, "before", reads_json(&totals->before));
	json_object_object_add(json, "after", reads_json(&totals->after));
	return print_json(json, JSON_C_TO_STRING_PRETTY);
}

/* Whether this system will use the overlays that were written. */
static bool is_in_use(const struct relayout_run *run)
{
	return !run->batch.dry_run && (run->in_place || run->shadow) && !run->tree &&
		!(run->batch.options.pass_options.passes & NOTE_PASS_COMPACT);
}

/* What glibc's loader (2.36) takes of the stack of whoever calls dlopen(3), as measured. The smallest stacks of threads have some 16 KiB. */
#define STACK_PER_LOAD     112u /* bytes */
#define STACK_WORTH_SAYING (64u << 10)

static void note_stacks(const struct relayout_run *run)
{
	char stack[WORDS_MAX];

	for (size_t i = 0; i < run->batch.n_files; i++) {
		const struct relayout_file *file = &run->batch.files[i];
		uint64_t bytes = file->after.segments * STACK_PER_LOAD;

		if (file->status == RELAYOUT_DONE && bytes >= STACK_WORTH_SAYING)
			verb_note(
				"'%s': a thread that loads it by dlopen needs %s of its stack for that; a lower --max-segments needs less",
				file->inside, words_bytes(bytes, stack));
	}
}

int relayout_report(const struct relayout_run *run)
{
	struct relayout_totals totals = relayout_batch_sum(&run->batch);
	int r = 0;

	if (run->json) {
		r = print_result(run, &totals);
	} else {
		print_reasons(run);
		print_summary(run, &totals);
		note_stacks(run);
		if (is_in_use(run) && totals.by_status[RELAYOUT_DONE] > 0)
			verb_note(
				"uprobes that a tool places by section headers do not fire in hot code; "
				"see NOTES in headstart-relayout(1)");
	}
	if (r)
		return r;
	return verb_flush() || relayout_batch_failed(&run->batch, run->listed) ? VERB_FAILED : 0;
}
