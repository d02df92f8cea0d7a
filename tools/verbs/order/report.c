/* SPDX-License-Identifier: MIT */
/* What 'headstart order' prints when the ordering file is written. */
#include <json-c/json.h>
#include <stdio.h>

#include "base/plural.h"
#include "lib/print/page-style.h"
#include "lib/print/print-json.h"
#include "report/json-text.h"
#include "report/words.h"
#include "verbs/order/order.h"

static struct json_object *subject_json(const struct subject *subject)
{
	static const char *const symbols[] = {[ORDER_SYMTAB] = "symtab",
		[ORDER_DEBUG_FILE] = "debug file",
		[ORDER_DEBUG_DATA] = ".gnu_debugdata"};
	const struct order_summary *summary = &subject->summary;
	struct json_object *json = json_object_new_object();

	json_object_object_add(json, "path", json_text(subject->path));
	json_object_object_add(json, "symbols", json_object_new_string(symbols[subject->image.symbols]));
	json_object_object_add(json, "functions", json_object_new_uint64(summary->functions));
	json_object_object_add(json, "namesakes", json_object_new_uint64(summary->namesakes));
	json_object_object_add(json, "bytes", json_object_new_uint64(summary->bytes));
	json_object_object_add(json, "pages_before", json_object_new_uint64(summary->pages_before));
	json_object_object_add(json, "runs_before", json_object_new_uint64(summary->runs_before));
	json_object_object_add(json, "pages_after", json_object_new_uint64(summary->pages_after));
	json_object_object_add(json, "runs_after", json_object_new_uint64(summary->runs_after));
	return json;
}

/* What the order goes by. */
static const char *basis_of(const struct subjects *subjects)
{
	size_t called = 0;

	for (size_t i = 0; i < subjects->n; i++)
		called += subjects->items[i].called;
	return called == 0 ? "pages" : called == subjects->n ? "functions" : "both";
}

static int print_json_result(
	const struct order_arguments *arguments, const struct subjects *subjects, size_t left_out)
{
	struct json_object *json = json_object_new_object(), *files = json_object_new_array();

	for (size_t i = 0; i < subjects->n; i++)
		json_object_array_add(files, subject_json(&subjects->items[i]));
	json_object_object_add(json, "for", json_object_new_string(order_linker_name(arguments->linker)));
	json_object_object_add(json, "basis", json_object_new_string(basis_of(subjects)));
	json_object_object_add(json, "profiles", json_object_new_uint64(arguments->n_narrow + 1));
	json_object_object_add(json, "output", json_text(arguments->output));
	json_object_object_add(json, "names_left_out", json_object_new_uint64(left_out));
	json_object_object_add(json, "files", files);
	return print_json(json, JSON_C_TO_STRING_PRETTY);
}

static void print_subject(const struct subject *subject)
{
	const struct order_summary *summary = &subject->summary;
	char functions[WORDS_MAX], bytes[WORDS_MAX], namesakes[WORDS_MAX], pages[2][WORDS_MAX],
		runs[2][WORDS_MAX];

	page_line("file       ", subject->path, "");
	printf("functions  %s, and %s of the same names; %s\n", words_count(summary->functions, functions),
		words_count(summary->namesakes, namesakes), words_bytes(summary->bytes, bytes));
	printf("before     %s %s page%s of code in %s run%s\n", words_count(summary->pages_before, pages[0]),
		subject->called ? "called" : "touched", plural(summary->pages_before),
		words_count(summary->runs_before, runs[0]), plural(summary->runs_before));
	printf("after      about %s in %s run%s, by prediction\n",
		words_count(summary->pages_after, pages[1]), words_count(summary->runs_after, runs[1]),
		plural(summary->runs_after));
}

static int print_text(
	const struct order_arguments *arguments, const struct subjects *subjects, size_t left_out)
{
	for (size_t i = 0; i < subjects->n; i++)
		print_subject(&subjects->items[i]);
	printf("order      %s\n", arguments->output);
	if (left_out > 0)
		printf("left out   %zu name%s that the syntax of %s cannot express\n", left_out,
			plural(left_out), order_linker_name(arguments->linker));
	return 0;
}

int order_report(const struct order_arguments *arguments, const struct subjects *subjects, size_t left_out)
{
	return arguments->json ? print_json_result(arguments, subjects, left_out)
			       : print_text(arguments, subjects, left_out);
}
