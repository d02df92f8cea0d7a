/* SPDX-License-Identifier: MIT */
/* Prints a profile for people. */
#include "report/profiles/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "profile/functions.h"
#include "profile/metadata.h"
#include "report/table.h"
#include "report/touched.h"
#include "report/words.h"

static const char *or_unknown(const char *text)
{
	return text && *text ? text : "unknown";
}

static void print_bias(FILE *out, const struct profile *profile, const struct report_style *style)
{
	const char *label = "known bias";

	for (const struct words_bias *bias = words_biases; bias->bit; bias++) {
		if (!(profile->bias & bias->bit))
			continue;
		table_line(out, style, label, "%s", bias->meaning);
		label = "";
	}
}

static void print_metadata(FILE *out, const struct profile *profile, const struct report_style *style)
{
	uint64_t pages = profile_metadata_pages(profile);
	char bytes[WORDS_MAX];

	if (pages > 0)
		table_line(out, style, "metadata", "%s of %zu file system%s",
			words_bytes(pages * profile->page_size, bytes), profile->n_file_systems,
			plural(profile->n_file_systems));
}

/* Of several runs: how much every one of them touched, and how much one alone. */
static void print_runs(FILE *out, const struct profile *profile, const struct report_style *style)
{
	uint64_t every = 0, once = 0;
	char all[WORDS_MAX], one[WORDS_MAX];

	for (size_t i = 0; i < profile->n_files; i++) {
		struct touched_sizes touched =
			touched_of(&profile->files[i], profile->runs, profile->page_size);

		every += touched.every_run;
		once += touched.one_run;
	}
	table_line(out, style, "", "%s in every run, %s in one run alone", words_bytes(every, all),
		words_bytes(once, one));
}

static void print_header(FILE *out, const struct profile *profile, const struct report_style *style)
{
	char when[WORDS_MAX], bytes[WORDS_MAX], touches[WORDS_MAX], ranges[WORDS_MAX], files[WORDS_MAX];
	size_t n_ranges = 0, n_read = 0;

	for (size_t i = 0; i < profile->n_files; i++) {
		n_ranges += profile->files[i].n_ranges;
		n_read += profile->files[i].n_ranges > 0;
	}
	fputs("profile of ", out);
	table_title(out, profile->program, style);
	table_line(out, style, "command", "%s", or_unknown(profile->command));
	table_line(out, style, "recorded", "%s, on kernel %s, from %s", words_time(profile->recorded, when),
		or_unknown(profile->kernel), or_unknown(profile->device));
	table_line(out, style, "by", "%s; ended by: %s", words_backend_meaning(profile->backend),
		or_unknown(profile->milestone));
	table_line(out, style, "runs", "%u", profile->runs);
	table_line(out, style, "touched", "%s in %s range%s of %s file%s",
		words_bytes(touched_bytes(profile), bytes), words_count(n_ranges, ranges), plural(n_ranges),
		words_count(n_read, files), plural(n_read));
	if (profile->runs > 1)
		print_runs(out, profile, style);
	n_read = profile->n_files - n_read;
	table_line(out, style, "looked at", "%s other file%s, folders and links included",
		words_count(n_read, files), plural(n_read));
	print_metadata(out, profile, style);
	table_line(out, style, "touches", "%s, pages of %u bytes", words_count(profile->touches, touches),
		profile->page_size);
	if (profile->functions)
		table_line(out, style, "called", "%s function%s of %zu file%s",
			words_count(profile->functions->n_calls, touches),
			plural(profile->functions->n_calls), profile->functions->n_objects,
			plural(profile->functions->n_objects));
	print_bias(out, profile, style);
}

static void print_execs(FILE *out, const struct profile *profile, const struct report_style *style)
{
	size_t shown = profile->n_execs < style->rows ? profile->n_execs : style->rows;
	char order[WORDS_MAX];

	fputc('\n', out);
	table_title(out, "exec points, by the touches before them", style);
	for (size_t i = 0; i < shown; i++) {
		fprintf(out, "  %9s  ", words_count(profile->execs[i].order, order));
		table_path(out, profile->execs[i].path, 13, style);
	}
	if (shown < profile->n_execs)
		fprintf(out, "  %9s  and %zu more\n", "", profile->n_execs - shown);
}

/* What each recording asked for: the rule that told, the key by which its plan is named, and the arguments. */
static void print_recordings(FILE *out, const struct recordings *recordings, const struct report_style *style)
{
	fputc('\n', out);
	table_title(out, "recordings, and the keys of their plans", style);
	for (size_t i = 0; i < recordings->n; i++) {
		const struct profile *recording = &recordings->items[i];

		table_line(out, style, "command", "%s", or_unknown(recording->command));
		if (recording->asked)
			table_line(out, style, "key", "@%016llx, by the rule: %s",
				(unsigned long long)recording->asked, or_unknown(recording->rule));
		else
			table_line(out, style, "key", "none");
	}
}

static void fill_bar(struct table_bar *bar, const void *context, size_t source)
{
	const struct profile *profile = context;
	const struct profile_file *file = &profile->files[source];

	for (size_t i = 0; i < file->n_ranges; i++)
		table_bar_add(bar, file->ranges[i].page, file->ranges[i].pages);
}

static struct table_row row_of(const struct profile *profile, size_t source)
{
	const struct profile_file *file = &profile->files[source];
	struct table_row row = {
		.path = file->path, .size = file->size, .pieces = file->n_ranges, .source = source};
	char id[9];

	row.bytes = touched_of(file, profile->runs, profile->page_size).bytes;
	snprintf(row.note, sizeof(row.note), "%s", words_build_id(file, 4, id));
	return row;
}

int report_profile_text(FILE *out, const struct profile *profile, const struct recordings *recordings,
	const struct report_style *style)
{
	_cleanup_free_ struct table_row *rows = calloc(profile->n_files + 1, sizeof(*rows));
	struct table table = {
		.title = "files by touched bytes",
		.bytes = "touched",
		.pieces = "ranges",
		.note = "build-id",
		.rows = rows,
		.page_size = profile->page_size,
		.fill_bar = fill_bar,
		.context = profile,
	};

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < profile->n_files; i++)
		if (profile->files[i].n_ranges > 0)
			rows[table.n_rows++] = row_of(profile, i);
	print_header(out, profile, style);
	print_recordings(out, recordings, style);
	print_execs(out, profile, style);
	if (table.n_rows > 0)
		table_print(out, &table, style);
	return 0;
}
