/* SPDX-License-Identifier: MIT */
/* Adds, counts and frees the findings of the checks. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "doctor/checks.h"

size_t doctor_count(const struct doctor_report *report, enum doctor_severity severity)
{
	size_t count = 0;

	for (size_t i = 0; i < report->n; i++)
		count += report->findings[i].severity == severity;
	return count;
}

const char *doctor_severity_name(enum doctor_severity severity)
{
	switch (severity) {
	case DOCTOR_OK:
		return "ok";
	case DOCTOR_NOTE:
		return "note";
	case DOCTOR_PROBLEM:
		break;
	}
	return "problem";
}

static void write_text(struct doctor_report *report, char **text, const char *format, va_list args)
{
	free(*text);
	if (vasprintf(text, format, args) < 0) {
		*text = NULL;
		report->out_of_memory = true;
	}
}

void doctor_say(struct doctor_report *report, enum doctor_severity severity, const char *subject,
	const char *what, ...)
{
	struct doctor_finding finding = {.severity = severity, .subject = subject};
	va_list args;

	va_start(args, what);
	write_text(report, &finding.what, what, args);
	va_end(args);
	if (!finding.what || ARRAY_RESERVE(report->findings, report->capacity, report->n + 1) < 0) {
		free(finding.what);
		report->out_of_memory = true;
		return;
	}
	report->findings[report->n++] = finding;
}

void doctor_consequence(struct doctor_report *report, const char *text, ...)
{
	va_list args;

	if (report->n == 0 || report->out_of_memory)
		return;
	va_start(args, text);
	write_text(report, &report->findings[report->n - 1].consequence, text, args);
	va_end(args);
}

void doctor_mend(struct doctor_report *report, const char *command, ...)
{
	va_list args;

	if (report->n == 0 || report->out_of_memory)
		return;
	va_start(args, command);
	write_text(report, &report->findings[report->n - 1].mend, command, args);
	va_end(args);
}

void doctor_model(struct doctor_report *report, const struct device_model *model)
{
	if (report->n == 0 || report->out_of_memory)
		return;
	report->findings[report->n - 1].of_disk = true;
	report->findings[report->n - 1].model = *model;
}

void doctor_report_release(struct doctor_report *report)
{
	for (size_t i = 0; i < report->n; i++) {
		free(report->findings[i].what);
		free(report->findings[i].consequence);
		free(report->findings[i].mend);
	}
	free(report->findings);
	*report = (struct doctor_report){0};
}
