/* SPDX-License-Identifier: MIT */
/* Prints an explanation, as text and as JSON. */
#include "verbs/explain/explain.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "lib/print/page-style.h"
#include "lib/print/print-json.h"
#include "profile/updates/staleness.h"
#include "report/json-text.h"
#include "report/table.h"
#include "report/touched.h"
#include "report/words.h"
#include "verb.h"

#define PAGES_SHOWN 8u /* of a function */

static const char *staleness_words(enum profile_staleness staleness)
{
	static const char *const words[] = {
		[PROFILE_FRESH] = "as it was recorded",
		[PROFILE_GONE] = "it is gone",
		[PROFILE_CHANGED] = "it has changed since: what follows is of the recorded build",
	};

	return words[staleness];
}

static const char *why_name(enum explain_why why)
{
	static const char *const names[] = {
		[EXPLAIN_NOT_PLANNED] = "not-planned",
		[EXPLAIN_TOUCHED] = "touched",
		[EXPLAIN_GAP] = "gap",
		[EXPLAIN_GUESSED] = "guessed",
	};

	return names[why];
}

static const char *why_words(enum explain_why why)
{
	static const char *const words[] = {
		[EXPLAIN_NOT_PLANNED] = "does not read it",
		[EXPLAIN_TOUCHED] = "reads it, because a start touched it",
		[EXPLAIN_GAP] = "reads it, because that is cheaper than skipping it between touched pages",
		[EXPLAIN_GUESSED] = "reads it by guess, because the file was updated",
	};

	return words[why];
}

static const char *absence_name(enum explain_absence absence)
{
	static const char *const names[] = {
		[EXPLAIN_OTHERS] = "others",
		[EXPLAIN_GONE] = "gone",
		[EXPLAIN_CHANGED] = "changed",
		[EXPLAIN_IN_MEMORY] = "in-memory",
		[EXPLAIN_UNCACHED] = "uncached",
		[EXPLAIN_CHOICE] = "choice",
	};

	return names[absence];
}

static const char *absence_words(enum explain_absence absence)
{
	static const char *const words[] = {
		[EXPLAIN_OTHERS] =
			"does not read it: others than root can change the file, and the plan serves everybody",
		[EXPLAIN_GONE] = "does not read it: the file is gone or cannot be read",
		[EXPLAIN_CHANGED] =
			"does not read it: the file has changed, and nothing could be guessed of it",
		[EXPLAIN_IN_MEMORY] = "does not read it: the file lies in memory",
		[EXPLAIN_UNCACHED] = "does not read it: its file system keeps nothing of it in memory",
		[EXPLAIN_CHOICE] =
			"does not read it: left out by the budget, by --min-runs, or because not all recordings "
			"of these starts have it; or the plan is older than the recording",
	};

	return words[absence];
}

/* ---- text ---- */

static void print_file(const struct explanation *explanation, const struct report_style *style)
{
	const struct profile_file *file = explanation->file;
	struct touched_sizes touched = touched_of(file, explanation->all.runs, explanation->all.page_size);
	const struct profile_exec *exec = explain_find_exec(&explanation->all, file->order);
	char bytes[WORDS_MAX], size[WORDS_MAX], order[WORDS_MAX], all[WORDS_MAX];

	table_line(stdout, style, "today", "%s", staleness_words(explanation->staleness));
	if (file->kind == PROFILE_REGULAR)
		table_line(stdout, style, "touched", "%s of %s, in %zu range%s",
			words_bytes(touched.bytes, bytes), words_bytes(file->size, size), file->n_ranges,
			plural(file->n_ranges));
	if (explanation->all.runs > 1 && touched.bytes > 0)
		table_line(stdout, style, "", "%s in every run, %s in one run alone",
			words_bytes(touched.every_run, bytes), words_bytes(touched.one_run, size));
	if (explanation->relocations > 0)
		table_line(stdout, style, "", "%s of it are relocation tables",
			words_bytes(explanation->relocations, bytes));
	if (explanation->has_code)
		table_line(stdout, style, "code",
			"%s touched page%s, of %s function%s that would take about %s page%s side by side",
			words_count(explanation->code.pages_before, bytes),
			plural(explanation->code.pages_before),
			words_count(explanation->code.functions, size), plural(explanation->code.functions),
			words_count(explanation->code.pages_after, all),
			plural(explanation->code.pages_after));
	table_line(stdout, style, "first", "touch %s of %s, after %s was executed",
		words_count(file->order, order), words_count(explanation->all.touches, all),
		exec ? exec->path : explanation->all.program);
}

static void print_recordings(const struct explanation *explanation, const struct report_style *style)
{
	const char *label = "recordings";

	for (size_t i = 0; i < explanation->recordings.n; i++) {
		const struct profile *recording = &explanation->recordings.items[i];
		const struct profile_file *file = explain_find_file(recording, explanation->path);
		struct touched_sizes touched = touched_of(file, recording->runs, recording->page_size);
		char bytes[WORDS_MAX];

		if (file)
			table_line(stdout, style, label, "%s of it in %u run%s of %s",
				words_bytes(touched.bytes, bytes), recording->runs, plural(recording->runs),
				recording->command);
		else
			table_line(stdout, style, label, "nothing in %s", recording->command);
		label = "";
	}
}

/* "plan", "plan @KEY" on the first line of each plan. */
static void print_plan_line(
	const struct explained_plan *plan, const struct report_style *style, const char *text)
{
	if (plan->key)
		table_line(stdout, style, "plan", "for starts @%016llx: %s", (unsigned long long)plan->key,
			text);
	else
		table_line(stdout, style, "plan", "for any start: %s", text);
}

static void print_file_plan(const struct explanation *explanation, const struct explained_plan *plan,
	const struct report_style *style)
{
	struct explain_planned planned = explain_planned_of(&plan->loaded.view, explanation->path);
	uint64_t page_size = LE32(plan->loaded.view.header->page_size);
	char text[160], bytes[WORDS_MAX], gaps[WORDS_MAX];

	if (!planned.file && explanation->file) {
		print_plan_line(
			plan, style, absence_words(explain_absence_of(explanation->file, plan->shared)));
		return;
	}
	if (!planned.file) {
		print_plan_line(plan, style, "does not read it: no start touched the file");
		return;
	}
	snprintf(text, sizeof(text), "reads %s of it, of which %s are gaps%s",
		words_bytes(planned.pages * page_size, bytes), words_bytes(planned.gaps * page_size, gaps),
		planned.guessed ? "; the file was updated, and these pages are guessed" : "");
	print_plan_line(plan, style, text);
}

static void print_page_plan(const struct explanation *explanation, const struct explained_plan *plan,
	uint64_t page, const struct report_style *style)
{
	enum explain_why why =
		explain_page_of(&plan->loaded.view, explanation->path, explanation->file, page);
	bool touched = explanation->file && explain_find_range(explanation->file, page);

	if (why != EXPLAIN_NOT_PLANNED)
		print_plan_line(plan, style, why_words(why));
	else if (touched)
		print_plan_line(
			plan, style, absence_words(explain_absence_of(explanation->file, plan->shared)));
	else
		print_plan_line(plan, style, "does not read it: no start touched the page");
}

static void print_page(const struct explanation *explanation, uint64_t page, const struct report_style *style)
{
	const struct profile *all = &explanation->all;
	const struct profile_range *range =
		explanation->file ? explain_find_range(explanation->file, page) : NULL;
	uint32_t order = range ? range->order + (uint32_t)(page - range->page) : 0;
	const struct profile_exec *exec = range ? explain_find_exec(all, order) : NULL;
	char text[WORDS_MAX], title[48];

	fputc('\n', stdout);
	snprintf(title, sizeof(title), "page %llu", (unsigned long long)page);
	table_title(stdout, title, style);
	if (range)
		table_line(stdout, style, "touched", "in %u of %u run%s, as touch %s, after %s was executed",
			range->runs, all->runs, plural(all->runs), words_count(order, text),
			exec ? exec->path : all->program);
	else
		table_line(stdout, style, "touched", "by no start");
	explanation_print_functions(explanation, page, style);
	for (size_t i = 0; i < explanation->n_plans; i++)
		print_page_plan(explanation, &explanation->plans[i], page, style);
}

int explanation_print_text(const struct explanation *explanation)
{
	struct report_style style = page_style(SIZE_MAX);
	uint64_t page = explanation->page;

	if (explanation->symbol) {
		table_safe_text(stdout, explanation->symbol, &style);
		fputs(" in ", stdout);
	}
	table_title(stdout, explanation->path, &style);
	if (explanation->file)
		print_file(explanation, &style);
	else
		table_line(stdout, &style, "touched", "by no start of %s", explanation->all.program);
	if (explanation->file)
		print_recordings(explanation, &style);
	if (page == EXPLAIN_NO_PAGE)
		for (size_t i = 0; i < explanation->n_plans; i++)
			print_file_plan(explanation, &explanation->plans[i], &style);
	else
		for (; page <= explanation->last_page && page - explanation->page < PAGES_SHOWN; page++)
			print_page(explanation, page, &style);
	if (page != EXPLAIN_NO_PAGE && page <= explanation->last_page)
		printf("\nand %llu more page%s\n", (unsigned long long)(explanation->last_page - page + 1),
			plural(explanation->last_page - page + 1));
	if (explanation->n_plans == 0)
		table_line(stdout, &style, "plan", "%s has none on this machine", explanation->all.program);
	return verb_flush();
}

/* ---- JSON ---- */

static void put(struct json_object *json, const char *key, uint64_t value)
{
	json_object_object_add(json, key, json_object_new_uint64(value));
}

static void put_exec(struct json_object *json, const struct profile *all, uint32_t order)
{
	const struct profile_exec *exec = explain_find_exec(all, order);

	json_object_object_add(json, "exec", json_text(exec ? exec->path : all->program));
}

static void put_share(
	struct json_object *json, const struct profile_file *file, const struct profile *profile)
{
	struct touched_sizes touched = touched_of(file, profile->runs, profile->page_size);

	put(json, "bytes", touched.bytes);
	put(json, "bytes_every_run", touched.every_run);
	put(json, "bytes_one_run", touched.one_run);
}

static struct json_object *recording_json(
	const struct explanation *explanation, const struct profile *recording)
{
	struct json_object *json = json_object_new_object();
	const struct profile_file *file = explain_find_file(recording, explanation->path);

	json_object_object_add(json, "command", json_text(recording->command));
	put(json, "runs", recording->runs);
	json_object_object_add(json, "touched", json_object_new_boolean(file != NULL));
	put_share(json, file, recording);
	return json;
}

/* The reason why a plan has nothing, or null. */
static struct json_object *absence_json(
	const struct explanation *explanation, const struct explained_plan *plan, bool missing)
{
	return missing && explanation->file
		? json_object_new_string(absence_name(explain_absence_of(explanation->file, plan->shared)))
		: NULL;
}

static struct json_object *plan_json(const struct explanation *explanation, const struct explained_plan *plan)
{
	struct explain_planned planned = explain_planned_of(&plan->loaded.view, explanation->path);
	uint64_t page_size = LE32(plan->loaded.view.header->page_size);
	struct json_object *json = json_object_new_object();
	char key[16 + 1];

	snprintf(key, sizeof(key), "%016llx", (unsigned long long)plan->key);
	json_object_object_add(json, "key", plan->key ? json_object_new_string(key) : NULL);
	json_object_object_add(json, "planned", json_object_new_boolean(planned.file));
	put(json, "bytes", planned.pages * page_size);
	put(json, "gap_bytes", planned.gaps * page_size);
	json_object_object_add(json, "guessed", json_object_new_boolean(planned.guessed));
	json_object_object_add(json, "absence", absence_json(explanation, plan, !planned.file));
	return json;
}

static struct json_object *page_plan_json(
	const struct explanation *explanation, const struct explained_plan *plan, uint64_t page)
{
	return json_object_new_string(
		why_name(explain_page_of(&plan->loaded.view, explanation->path, explanation->file, page)));
}

static struct json_object *page_json(const struct explanation *explanation, uint64_t page)
{
	struct json_object *json = json_object_new_object(), *plans = json_object_new_array();
	const struct profile_range *range =
		explanation->file ? explain_find_range(explanation->file, page) : NULL;

	put(json, "page", page);
	json_object_object_add(json, "touched", json_object_new_boolean(range != NULL));
	if (range) {
		uint32_t order = range->order + (uint32_t)(page - range->page);

		put(json, "order", order);
		put(json, "runs", range->runs);
		put_exec(json, &explanation->all, order);
	}
	explanation_put_functions(json, explanation, page);
	for (size_t i = 0; i < explanation->n_plans; i++)
		json_object_array_add(plans, page_plan_json(explanation, &explanation->plans[i], page));
	json_object_object_add(json, "plans", plans);
	return json;
}

static struct json_object *code_json(const struct order_summary *code)
{
	struct json_object *json = json_object_new_object();

	put(json, "functions", code->functions);
	put(json, "bytes", code->bytes);
	put(json, "pages", code->pages_before);
	put(json, "pages_together", code->pages_after);
	return json;
}

static void put_file(struct json_object *json, const struct explanation *explanation)
{
	static const char *const states[] = {
		[PROFILE_FRESH] = "fresh", [PROFILE_GONE] = "gone", [PROFILE_CHANGED] = "changed"};
	struct json_object *recordings = json_object_new_array();

	json_object_object_add(json, "state", json_object_new_string(states[explanation->staleness]));
	put(json, "size", explanation->file->size);
	put(json, "order", explanation->file->order);
	put_exec(json, &explanation->all, explanation->file->order);
	put_share(json, explanation->file, &explanation->all);
	put(json, "relocation_bytes", explanation->relocations);
	json_object_object_add(json, "code", explanation->has_code ? code_json(&explanation->code) : NULL);
	for (size_t i = 0; i < explanation->recordings.n; i++)
		json_object_array_add(
			recordings, recording_json(explanation, &explanation->recordings.items[i]));
	json_object_object_add(json, "recordings", recordings);
}

int explanation_print_json(const struct explanation *explanation)
{
	struct json_object *json = json_object_new_object(), *plans = json_object_new_array(),
			   *pages = json_object_new_array();

	json_object_object_add(json, "type", json_object_new_string("explanation"));
	json_object_object_add(json, "program", json_text(explanation->all.program));
	json_object_object_add(json, "path", json_text(explanation->path));
	json_object_object_add(json, "symbol", explanation->symbol ? json_text(explanation->symbol) : NULL);
	put(json, "page_size", explanation->all.page_size);
	put(json, "runs", explanation->all.runs);
	json_object_object_add(json, "touched", json_object_new_boolean(explanation->file != NULL));
	if (explanation->file)
		put_file(json, explanation);
	for (size_t i = 0; i < explanation->n_plans; i++)
		json_object_array_add(plans, plan_json(explanation, &explanation->plans[i]));
	json_object_object_add(json, "plans", plans);
	if (explanation->page != EXPLAIN_NO_PAGE)
		for (uint64_t page = explanation->page; page <= explanation->last_page; page++)
			json_object_array_add(pages, page_json(explanation, page));
	json_object_object_add(json, "pages", pages);
	return print_json(json, JSON_C_TO_STRING_PRETTY);
}
