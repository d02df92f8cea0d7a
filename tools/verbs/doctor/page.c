/* SPDX-License-Identifier: MIT */
/*
 * Prints the page: problems and notes with their consequences and the commands that solve them, and one line for what
 * is well. Severity is a word, so that the page reads the same without colour.
 */
#include "verbs/doctor/page.h"
#include "base/plural.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "report/json-text.h"
#include "report/table.h"
#include "report/utf8.h"
#include "report/words.h"

#define SEVERITY_WIDTH 9
#define SUBJECT_WIDTH  12
#define TEXT_AT        (SEVERITY_WIDTH + SUBJECT_WIDTH)

static const char *colour_of(enum doctor_severity severity)
{
	switch (severity) {
	case DOCTOR_OK:
		return "\033[32m";
	case DOCTOR_NOTE:
		return "\033[33m";
	case DOCTOR_PROBLEM:
		break;
	}
	return "\033[1;31m";
}

/* Counts characters of well-formed UTF-8, and bytes of other text. */
static size_t width_of(const char *word)
{
	size_t width = 0;

	for (; *word; width++) {
		size_t n = utf8_length(word);

		word += n ? n : 1;
	}
	return width;
}

/* Prints the text from column TEXT_AT on, where the cursor is already. Continued lines begin there too. */
static void print_wrapped(FILE *out, const char *text, const struct report_style *style)
{
	_cleanup_free_ char *copy = strdup(text);
	size_t at = TEXT_AT;

	for (char *state, *word = copy ? strtok_r(copy, " ", &state) : NULL; word;
		word = strtok_r(NULL, " ", &state)) {
		size_t width = width_of(word);

		if (at > TEXT_AT && at + 1 + width > style->columns) {
			fprintf(out, "\n%*s", TEXT_AT, "");
			at = TEXT_AT;
		}
		if (at > TEXT_AT)
			fputc(' ', out), at++;
		table_safe_text(out, word, style);
		at += width;
	}
	fputc('\n', out);
}

static void print_finding(FILE *out, const struct doctor_finding *finding, const struct report_style *style)
{
	fprintf(out, "%s%-*s%s%-*s", style->colour ? colour_of(finding->severity) : "", SEVERITY_WIDTH,
		doctor_severity_name(finding->severity), style->colour ? "\033[0m" : "", SUBJECT_WIDTH,
		finding->subject);
	print_wrapped(out, finding->what, style);
	if (finding->consequence) {
		fprintf(out, "%*s", TEXT_AT, "");
		print_wrapped(out, finding->consequence, style);
	}
	if (finding->mend) { /* never wrapped, so that it can be copied */
		fprintf(out, "%*s$ ", TEXT_AT - 2, "");
		table_safe_text(out, finding->mend, style);
		fputc('\n', out);
	}
}

void doctor_page_text(
	FILE *out, const struct doctor_report *report, const char *program, const struct report_style *style)
{
	size_t problems = doctor_count(report, DOCTOR_PROBLEM), notes = doctor_count(report, DOCTOR_NOTE);
	char a[WORDS_MAX], b[WORDS_MAX];

	fputs("headstart on this machine", out);
	if (program) {
		fputs(", and for ", out);
		table_safe_text(out, program, style);
	}
	fprintf(out, ": %s problem%s, %s note%s\n\n", words_count(problems, a), plural(problems),
		words_count(notes, b), plural(notes));
	for (size_t i = 0; i < report->n; i++)
		print_finding(out, &report->findings[i], style);
}

/* Null for the parts that a finding does not have. */
static struct json_object *optional_text(const char *text)
{
	return text ? json_text(text) : NULL;
}

/* Null for a finding that is not about a measured disk. */
static struct json_object *model_object(const struct doctor_finding *finding)
{
	const struct device_model *model = &finding->model;
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {
		{"latency_us", model->latency_us},
		{"seek_us", model->seek_us},
		{"stroke_us", model->stroke_us},
		{"bytes_per_ms", model->bytes_per_ms},
		{"depth", model->depth},
		{"samples", model->samples},
		{"measured", (uint64_t)model->measured},
	};
	struct json_object *object = finding->of_disk ? json_object_new_object() : NULL;

	for (size_t i = 0; object && i < sizeof(numbers) / sizeof(*numbers); i++)
		json_object_object_add(object, numbers[i].name, json_object_new_uint64(numbers[i].value));
	return object;
}

static struct json_object *finding_object(const struct doctor_finding *finding)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "severity", json_text(doctor_severity_name(finding->severity)));
	json_object_object_add(object, "subject", json_text(finding->subject));
	json_object_object_add(object, "what", json_text(finding->what));
	json_object_object_add(object, "consequence", optional_text(finding->consequence));
	json_object_object_add(object, "mend", optional_text(finding->mend));
	json_object_object_add(object, "model", model_object(finding));
	return object;
}

int doctor_page_json(FILE *out, const struct doctor_report *report, const char *program)
{
	struct json_object *object = json_object_new_object(), *findings = json_object_new_array();

	for (size_t i = 0; i < report->n; i++)
		json_object_array_add(findings, finding_object(&report->findings[i]));
	json_object_object_add(object, "program", optional_text(program));
	json_object_object_add(
		object, "problems", json_object_new_uint64(doctor_count(report, DOCTOR_PROBLEM)));
	json_object_object_add(object, "notes", json_object_new_uint64(doctor_count(report, DOCTOR_NOTE)));
	json_object_object_add(object, "findings", findings);
	return json_print(out, object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED, "\n");
}
