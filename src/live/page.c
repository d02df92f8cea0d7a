/* SPDX-License-Identifier: MIT */
/* The page of a terminal: what is read now, by whom, and from which files. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "live/show.h"
#include "report/table.h"
#include "report/words.h"

#define HEAD_LINES   7  /* what stands above and between the two lists */
#define PLENTY       40 /* lines of a page without a limit */
#define FILE_COLUMNS 36 /* before the name of a file */

/* A line of our own words and of names from the system, cut to the width of the page. */
static void line(FILE *out, const struct show_style *style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void line(FILE *out, const struct show_style *style, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length >= 0)
		table_cut_text(out, text, style->page.columns, TABLE_CUT_END, &style->page);
	else
		text = NULL;
	fputc('\n', out);
}

static void emphasize(FILE *out, const struct show_style *style, const char *sequence)
{
	if (style->page.colour)
		fputs(sequence, out);
}

static void head(FILE *out, const struct live *live, const struct show_style *style)
{
	double time = (double)(live->now - live->began) / 1e9, waited = (double)live->waited / 1e9;
	char bytes[WORDS_MAX], reads[WORDS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < live->n_processes; i++)
		n += !live->processes[i].ended;
	emphasize(out, style, "\033[1m");
	line(out, style, "headstart watch: %s", style->title);
	emphasize(out, style, "\033[0m");
	words_bytes(live->bytes, bytes);
	if (live->exact)
		line(out, style, "%.1f s, %zu process%s, %s read in %s read%s, %.2f s waited for %s%s", time,
			n, plural_of(n, "", "es"), bytes, words_count(live->reads, reads),
			plural(live->reads), waited, plural_of(live->reads, "it", "them"),
			live->lost ? "; events were dropped" : "");
	else
		line(out, style, "%.1f s, %zu process%s, %s touched", time, n, plural_of(n, "", "es"), bytes);
	if (live->reading && *live->reading)
		line(out, style, "now: %d waits for %s", live->reader, live->reading);
	else
		line(out, style, "now: %s in the last moments", words_bytes(live->recent, bytes));
}

static bool is_worth_a_line(const struct live_process *process)
{
	return !process->ended || process->bytes;
}

static void processes(FILE *out, const struct live *live, const struct show_style *style, size_t lines)
{
	size_t worth = 0, shown = 0, limit;
	char bytes[WORDS_MAX];

	for (size_t i = 0; i < live->n_processes; i++)
		worth += is_worth_a_line(&live->processes[i]);
	limit = worth <= lines ? worth : lines - 1;
	line(out, style, "%8s  %-9s %9s %9s  %s", "PID", "state", "read", "waited", "process");
	for (size_t i = 0; i < live->n_processes && shown < limit; i++) {
		const struct live_process *process = &live->processes[i];

		if (!is_worth_a_line(process))
			continue;
		shown++;
		emphasize(out, style, process->ended ? "\033[2m" : "");
		line(out, style, "%8d  %-9s %9s %7.2f s  %*s%s", process->pid, show_state(live, process),
			words_bytes(process->bytes, bytes), (double)process->states[TIMELINE_READ] / 1e9,
			(int)(2 * process->depth), "", process->name);
		emphasize(out, style, process->ended ? "\033[0m" : "");
	}
	if (worth > shown)
		line(out, style, "%8s  and %zu more", "", worth - shown);
}

static void files(FILE *out, const struct live *live, const struct show_style *style, size_t lines)
{
	size_t limit = live->n_files <= lines ? live->n_files : lines - 1;
	char recent[WORDS_MAX], bytes[WORDS_MAX];
	struct report_style narrow = style->page;

	narrow.whole_paths = false;
	line(out, style, "%9s %9s %8s  %s", "now", live->exact ? "read" : "touched", "by", "file");
	for (size_t i = 0; i < limit; i++) {
		const struct live_file *file = &live->files[i];
		_cleanup_free_ char *name = NULL;
		size_t before = 30;

		if (asprintf(&name, "%s%s", *file->path ? file->path : "files without a name",
			    file->metadata ? " (inodes and folders)" : "") < 0)
			name = NULL;
		emphasize(out, style, file->recent ? "" : "\033[2m");
		if (style->page.columns > FILE_COLUMNS) {
			fprintf(out, "%9s %9s %8d  ", words_bytes(file->recent, recent),
				words_bytes(file->bytes, bytes), file->pid);
			table_cut_text(out, name ? name : "", style->page.columns - before, TABLE_CUT_BEGIN,
				&narrow);
			fputc('\n', out);
		} else {
			line(out, style, "%9s %s", words_bytes(file->bytes, bytes), name ? name : "");
		}
		emphasize(out, style, file->recent ? "" : "\033[0m");
	}
	if (live->n_files > limit)
		line(out, style, "%9s and %zu more", "", live->n_files - limit);
}

void show_page(FILE *out, const struct live *live, const struct show_style *style)
{
	size_t lines = style->lines ? style->lines : PLENTY, left, above = 0;

	if (lines < HEAD_LINES + 2) { /* too low for the lists */
		line(out, style, "headstart watch: %s", style->title);
		return;
	}
	left = lines - HEAD_LINES;
	for (size_t i = 0; i < live->n_processes; i++)
		above += is_worth_a_line(&live->processes[i]);
	if (above > left / 2)
		above = left / 2 > 1 ? left / 2 : 1;
	head(out, live, style);
	fputc('\n', out);
	processes(out, live, style, above ? above : 1);
	fputc('\n', out);
	files(out, live, style, left - (above ? above : 1));
}
