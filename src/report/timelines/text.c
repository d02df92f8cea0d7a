/* SPDX-License-Identifier: MIT */
/* Prints where the time of a start went, for people. */
#include "report/timelines/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "report/table.h"
#include "report/timelines/units.h"
#include "report/timelines/words.h"
#include "report/words.h"

#define SHARE_MIN 0.0005 /* a cause of less than this share of the start is left out */

static const char *share_text(uint64_t part, uint64_t whole, char buffer[WORDS_MAX])
{
	snprintf(buffer, WORDS_MAX, "%.0f %%", whole ? 100 * (double)part / (double)whole : 0);
	return buffer;
}

static uint64_t waited_for_others(const struct sums *sums)
{
	uint64_t sum = 0;

	for (size_t i = TIMELINE_READ + 1; i < TIMELINE_STATES; i++)
		sum += sums->causes.states[i];
	return sum;
}

void report_timeline_prefetched(FILE *out, const struct sums *sums)
{
	const size_t *n = sums->prefetched;
	size_t judged = sums->prefetches - n[TIMELINE_UNJUDGED];
	char a[WORDS_MAX], b[WORDS_MAX], c[WORDS_MAX], d[WORDS_MAX];

	if (judged == 0)
		fprintf(out, "headstart read ahead, and the kernel did not report what of it was used");
	else
		fprintf(out,
			"of %s read%s that headstart made ahead, %s came in time, %s late, and %s in vain",
			words_count(judged, a), plural(judged), words_count(n[TIMELINE_IN_TIME], b),
			words_count(n[TIMELINE_LATE], c), words_count(n[TIMELINE_IN_VAIN], d));
}

static void print_expectation(FILE *out, const struct timeline *timeline, const struct sums *sums)
{
	uint64_t reads = sums->causes.states[TIMELINE_READ];
	char buffer[WORDS_MAX];

	if (timeline_is_boot(timeline) && !sums->prefetches)
		return; /* its disks were not measured meanwhile */
	fputs("; ", out);
	if (sums->prefetches)
		report_timeline_prefetched(out, sums);
	else if (reads < timeline->duration / 100)
		fputs("there is nothing to gain by prefetching", out);
	else if (timeline->prefetched == 0)
		fputs("what prefetching would save is not known, since the disk was not measured", out);
	else if (timeline->prefetched >= reads)
		fputs("prefetching is expected to save nothing", out);
	else
		fprintf(out, "prefetching is expected to save %s s",
			report_timeline_time(reads - timeline->prefetched, buffer));
}

char *report_timeline_sentence(const struct timeline *timeline, const struct sums *sums)
{
	uint64_t others = waited_for_others(sums), processor = sums->causes.states[TIMELINE_RUNNABLE],
		 nobody = sums->causes.nobody;
	char a[WORDS_MAX], b[WORDS_MAX], c[WORDS_MAX];
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "%s of %s s were waiting for %s read%s",
		report_timeline_time(sums->causes.states[TIMELINE_READ], a),
		report_timeline_time(timeline->duration, b), words_count(sums->awaited, c),
		plural(sums->awaited));
	if (sums->seek_time)
		fprintf(out, ", %s s of it seeks", report_timeline_time(sums->seek_time, a));
	if (others > timeline->duration / 50)
		fprintf(out, "; %s s waiting for others", report_timeline_time(others, a));
	if (processor > timeline->duration / 50)
		fprintf(out, "; %s s waiting for a processor", report_timeline_time(processor, a));
	if (nobody > timeline->duration / 50)
		fprintf(out, "; %s s " REPORT_WITHOUT_ANYBODY, report_timeline_time(nobody, a));
	fprintf(out, "; %s s computing", report_timeline_time(sums->causes.states[TIMELINE_RUNNING], a));
	print_expectation(out, timeline, sums);
	fputc('.', out);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static void print_prefetches(FILE *out, const struct sums *sums, const struct report_style *style)
{
	uint64_t all = 0;
	char a[WORDS_MAX], b[WORDS_MAX], c[WORDS_MAX], d[WORDS_MAX], e[WORDS_MAX], f[WORDS_MAX];

	for (size_t i = 0; i < TIMELINE_PREFETCHES; i++)
		all += sums->prefetched_bytes[i];
	table_line(out, style, "ahead",
		"headstart read %s in %s read%s: %s in time, %s late, %s in vain, %s not known (inodes and folders)",
		words_bytes(all, a), words_count(sums->prefetches, b), plural(sums->prefetches),
		words_bytes(sums->prefetched_bytes[TIMELINE_IN_TIME], c),
		words_bytes(sums->prefetched_bytes[TIMELINE_LATE], d),
		words_bytes(sums->prefetched_bytes[TIMELINE_IN_VAIN], e),
		words_bytes(sums->prefetched_bytes[TIMELINE_UNJUDGED], f));
}

static void print_header(
	FILE *out, const struct timeline *timeline, const struct sums *sums, const struct report_style *style)
{
	char when[WORDS_MAX], time[WORDS_MAX], bytes[WORDS_MAX], reads[WORDS_MAX], seeks[WORDS_MAX];

	fputs(timeline_is_boot(timeline) ? "boot of " : "timeline of ", out);
	table_title(out, timeline->program, style);
	table_line(out, style, timeline_is_boot(timeline) ? "boot" : "command", "%s", timeline->command);
	table_line(out, style, "traced", "%s, on kernel %s; ended by: %s",
		words_time(timeline->recorded, when), timeline->kernel, timeline->ended_by);
	if (timeline_is_boot(timeline))
		table_line(out, style, "took", "%s s, in %zu unit%s",
			report_timeline_time(timeline->duration, time), sums->n_units, plural(sums->n_units));
	else
		table_line(out, style, "took", "%s s, in %zu process%s and %zu thread%s",
			report_timeline_time(timeline->duration, time), sums->n_processes,
			plural_of(sums->n_processes, "", "es"), timeline->n_threads,
			plural(timeline->n_threads));
	table_line(out, style, "read", "%s in %s read%s, of which %s did not follow the one before (seeks)",
		words_bytes(sums->bytes, bytes), words_count(timeline->n_reads, reads),
		plural(timeline->n_reads), words_count(sums->n_seeks, seeks));
	if (sums->prefetches)
		print_prefetches(out, sums, style);
	if (timeline->lost)
		table_line(out, style, "known bias",
			"the kernel dropped events: some times and reads are missing or wrong");
}

static void print_cause(FILE *out, const struct sums *sums, uint64_t time, const char *meaning)
{
	char a[WORDS_MAX], b[WORDS_MAX];

	if ((double)time > SHARE_MIN * (double)sums->causes.total)
		fprintf(out, "  %7s s  %5s  %s\n", report_timeline_time(time, a),
			share_text(time, sums->causes.total, b), meaning);
}

static void print_causes(FILE *out, const struct sums *sums, const struct report_style *style)
{
	fputc('\n', out);
	table_title(out, "where the time went", style);
	for (size_t i = 0; i < TIMELINE_STATES; i++)
		print_cause(out, sums, sums->causes.states[i], report_timeline_state(i));
	print_cause(out, sums, sums->causes.nobody, REPORT_NOBODY);
}

static uint64_t others_of(const struct sum_process *process)
{
	return process->causes.total - process->causes.states[TIMELINE_RUNNING] -
		process->causes.states[TIMELINE_RUNNABLE] - process->causes.states[TIMELINE_READ];
}

static void print_processes(FILE *out, const struct sums *sums, const struct report_style *style)
{
	size_t shown = sums->n_processes < style->rows ? sums->n_processes : style->rows;
	char a[WORDS_MAX], b[WORDS_MAX], c[WORDS_MAX], d[WORDS_MAX], e[WORDS_MAX];

	fputc('\n', out);
	table_title(out, "processes: seconds from begin to end, and where they went", style);
	fputs("    lived computing processor  reads others      pid  program\n", out);
	for (size_t i = 0; i < shown; i++) {
		const struct sum_process *process = &sums->processes[i];
		const uint64_t *states = process->causes.states;
		int before = fprintf(out, "  %7s %9s %9s %6s %6s %8d  ",
			report_timeline_time(process->causes.total, a),
			report_timeline_time(states[TIMELINE_RUNNING], b),
			report_timeline_time(states[TIMELINE_RUNNABLE], c),
			report_timeline_time(states[TIMELINE_READ], d),
			report_timeline_time(others_of(process), e), process->pid);

		table_path(out, process->program, (size_t)before, style);
	}
	if (shown < sums->n_processes)
		fprintf(out, "  and %zu more\n", sums->n_processes - shown);
}

static int print_files(
	FILE *out, const struct timeline *timeline, const struct sums *sums, const struct report_style *style)
{
	size_t shown = sums->n_files < style->rows ? sums->n_files : style->rows;
	char a[WORDS_MAX], b[WORDS_MAX];

	if (sums->n_files == 0)
		return 0;
	fputc('\n', out);
	table_title(out,
		timeline_is_boot(timeline) ? "files by the time that the boot waited for them"
					   : "files by the time that the start waited for them",
		style);
	fputs("     waited      read    reads   seeks  file\n", out);
	for (size_t i = 0; i < shown; i++) {
		const struct sum_file *file = &sums->files[i];
		_cleanup_free_ char *name = report_timeline_file(timeline, file->file);
		int before;

		if (!name)
			return -ENOMEM;
		before = fprintf(out, "  %7s s %9s %8zu %7zu  ", report_timeline_time(file->waited, a),
			words_bytes(file->bytes, b), file->reads, file->seeks);
		table_path(out, name, (size_t)before, style);
	}
	if (shown < sums->n_files)
		fprintf(out, "  and %zu more\n", sums->n_files - shown);
	return 0;
}

static int print_waits(
	FILE *out, const struct timeline *timeline, const struct sums *sums, const struct report_style *style)
{
	size_t n = 0, shown;
	char a[WORDS_MAX];

	while (n < sums->n_waits && (double)sums->waits[n].waited >= SHARE_MIN * (double)sums->causes.total)
		n++;
	if (n == 0)
		return 0;
	fputc('\n', out);
	table_title(out, "what else it waited for, while nobody computed or waited for reads", style);
	fputs("     waited   times  who\n", out);
	shown = n < style->rows ? n : style->rows;
	for (size_t i = 0; i < shown; i++) {
		const struct sum_wait *wait = &sums->waits[i];
		_cleanup_free_ char *text = report_timeline_wait(timeline, wait);

		if (!text)
			return -ENOMEM;
		fprintf(out, "  %7s s %7zu  ", report_timeline_time(wait->waited, a), wait->times);
		table_cut_text(out, text,
			style->whole_paths || style->columns < 42 ? SIZE_MAX : style->columns - 21,
			TABLE_CUT_END, style);
		fputc('\n', out);
	}
	if (shown < n)
		fprintf(out, "  and %zu more\n", n - shown);
	return 0;
}

int report_timeline_text(FILE *out, const struct timeline *timeline, const struct report_style *style)
{
	_cleanup_(sums_releasep) struct sums sums = {0};
	_cleanup_free_ char *sentence = NULL, *mostly = NULL;
	int r = sums_make(timeline, &sums);

	if (r < 0)
		return r;
	print_header(out, timeline, &sums, style);
	mostly = report_timeline_mostly(timeline, &sums);
	if (!mostly)
		return -ENOMEM;
	table_line(out, style, "mostly", "%s", mostly);
	print_causes(out, &sums, style);
	if (timeline_is_boot(timeline))
		r = report_units_print(out, timeline, &sums, style);
	else
		print_processes(out, &sums, style);
	if (r == 0)
		r = print_files(out, timeline, &sums, style);
	if (r == 0 && !timeline_is_boot(timeline))
		r = print_waits(out, timeline, &sums, style);
	sentence = r == 0 ? report_timeline_sentence(timeline, &sums) : NULL;
	if (!sentence)
		return -ENOMEM;
	fputc('\n', out);
	table_safe_text(out, sentence, style);
	fputc('\n', out);
	return 0;
}
