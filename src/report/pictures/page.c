/* SPDX-License-Identifier: MIT */
/*
 * Writes the page of a timeline: the template of page/, with the data in its midst as JSON. In an HTML file "<" must not
 * stand in the data, since "</script>" would end it whatever the JSON says; so it is written as an escape.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "page-text.h"
#include "report/json-text.h"
#include "report/pictures/kinds.h"
#include "report/pictures/pictures.h"
#include "report/pictures/strokes.h"
#include "report/timelines/report.h"
#include "report/timelines/starts.h"
#include "report/timelines/words.h"

#define SPANS_MAX 80000u /* that are drawn, of all starts together: some 25 bytes each */
#define READS_MAX 80000u
#define FINEST_NS 1000u /* spans that are shorter are drawn as part of their neighbours */

static unsigned long long us(uint64_t ns)
{
	return ns / 1000;
}

/* What a page has room for, of one start. */
struct room {
	size_t spans, reads;
};

/* A member of the object, after the first one. */
static int put_member(FILE *out, const char *key, const char *text)
{
	fprintf(out, ",\n\"%s\":", key);
	return json_text_write(out, text ? text : "");
}

static int put_files(FILE *out, const struct timeline *timeline)
{
	static const char *const kinds[TIMELINE_FILE_KINDS] = {"regular", "metadata", "unnamed"};
	int r = 0;

	fputs(",\n\"files\":[", out);
	for (size_t i = 0; r == 0 && i < timeline->n_files; i++) {
		fprintf(out, "%s\n{\"kind\":\"%s\",\"pages\":%llu", i ? "," : "",
			kinds[timeline->files[i].kind], (unsigned long long)timeline->files[i].pages);
		r = put_member(out, "path", timeline->files[i].path);
		fputc('}', out);
	}
	fputc(']', out);
	return r;
}

static int put_threads(FILE *out, const struct timeline *timeline, const struct sums *sums)
{
	int r = 0;

	fputs(",\n\"threads\":[", out);
	for (size_t i = 0; r == 0 && i < timeline->n_threads; i++) {
		fprintf(out, "%s\n{\"tid\":%d,\"pid\":%d", i ? "," : "", timeline->threads[i].tid,
			timeline->threads[i].pid);
		r = put_member(out, "name", timeline->threads[i].name);
		if (r == 0)
			r = put_member(out, "program", sums->programs[i]);
		fputc('}', out);
	}
	fputc(']', out);
	return r;
}

static void put_stroke(FILE *out, const struct timeline *timeline, const struct stroke *stroke, size_t n)
{
	const struct timeline_span *span = &timeline->spans[stroke->span];

	fprintf(out, "%s\n[%u,%llu,%llu,%d,%lld,%lld,%d]", n ? "," : "", span->thread, us(stroke->begin),
		us(stroke->end) - us(stroke->begin), (int)span->state,
		span->file == TIMELINE_NONE ? -1ll : (long long)span->file,
		span->note == TIMELINE_NONE ? -1ll : (long long)span->note, timeline_span_timed_out(span));
}

static void put_spans(FILE *out, const struct timeline *timeline, const struct room *room)
{
	uint64_t finest = strokes_finest(timeline, FINEST_NS, room->spans);
	struct stroke stroke;
	size_t n = 0;

	fputs(",\n\"spans\":[", out);
	for (size_t at = 0; stroke_next(timeline, finest, &at, &stroke);)
		put_stroke(out, timeline, &stroke, n++);
	fputc(']', out);
}

static int put_reads(FILE *out, const struct timeline *timeline, const struct room *room)
{
	uint64_t shortest;
	size_t n = 0;
	int r = strokes_shortest_read(timeline, room->reads, &shortest);

	fputs(",\n\"reads\":[", out);
	for (size_t i = 0; i < timeline->n_reads && n < room->reads; i++) {
		const struct timeline_read *read = &timeline->reads[i];

		if (read->end - read->begin < shortest)
			continue;
		fprintf(out, "%s\n[%llu,%llu,%u,%lld,%u,%u,%d]", n++ ? "," : "", us(read->begin),
			us(read->end) - us(read->begin), read->thread,
			read->file == TIMELINE_NONE ? -1ll : (long long)read->file, read->page, read->pages,
			(int)picture_kind(timeline, read));
	}
	fprintf(out, "],\n\"left_out\":%zu", timeline->n_reads - n);
	return r;
}

static int put_marks(FILE *out, const struct timeline *timeline)
{
	size_t exec = 0, mark = 0;
	int r = 0;

	fputs(",\n\"marks\":[", out);
	while (r == 0 && (exec < timeline->n_execs || mark < timeline->n_marks)) {
		bool is_exec = mark == timeline->n_marks ||
			(exec < timeline->n_execs &&
				timeline->execs[exec].time <= timeline->marks[mark].time);
		uint64_t time = is_exec ? timeline->execs[exec].time : timeline->marks[mark].time;

		fprintf(out, "%s\n{\"time\":%llu,\"exec\":%d", exec + mark ? "," : "", us(time), is_exec);
		r = put_member(
			out, "name", is_exec ? timeline->execs[exec].path : timeline->marks[mark].name);
		fputc('}', out);
		exec += is_exec;
		mark += !is_exec;
	}
	fputc(']', out);
	return r;
}

static int put_notes(FILE *out, const struct timeline *timeline)
{
	int r = 0;

	fputs(",\n\"notes\":[", out);
	for (size_t i = 0; r == 0 && i < timeline->n_notes; i++) {
		fputs(i ? "," : "", out);
		r = json_text_write(out, timeline->notes[i]);
	}
	fputc(']', out);
	return r;
}

/* What has a colour: its name, and what it means. */
static int put_class(FILE *out, size_t i, const char *name, const char *words)
{
	int r;

	fprintf(out, "%s[\"%s\",", i ? "," : "", name);
	r = json_text_write(out, words);
	fputc(']', out);
	return r;
}

static int put_classes(FILE *out)
{
	int r = 0;

	fputs("\"states\":[", out);
	for (enum timeline_state state = 0; r == 0 && state < TIMELINE_STATES; state++)
		r = put_class(out, state, timeline_state_name(state), report_timeline_state(state));
	if (r == 0)
		r = put_class(out, TIMELINE_STATES, "nobody", REPORT_NOBODY);
	fputs("],\n\"kinds\":[", out);
	for (size_t kind = 0; r == 0 && kind < PICTURE_KINDS; kind++)
		r = put_class(out, kind, picture_kinds[kind].name, picture_kinds[kind].words);
	fputc(']', out);
	return r;
}

static void put_sums(FILE *out, const struct sums *sums)
{
	fputs(",\n\"causes\":[", out);
	for (size_t i = 0; i < TIMELINE_STATES; i++)
		fprintf(out, "%llu,", us(sums->causes.states[i]));
	fprintf(out, "%llu],\n\"prefetches\":%zu,\n\"sums\":[", us(sums->causes.nobody), sums->prefetches);
	for (size_t i = 0; i < sums->n_files; i++) {
		const struct sum_file *file = &sums->files[i];

		fprintf(out, "%s\n[%lld,%llu,%llu,%zu,%zu]", i ? "," : "",
			file->file == TIMELINE_NONE ? -1ll : (long long)file->file, us(file->waited),
			(unsigned long long)file->bytes, file->reads, file->seeks);
	}
	fputc(']', out);
}

/* A time that may not be known, in microseconds: then it is -1. */
static long long moment(uint64_t ns)
{
	return ns == TIMELINE_NEVER ? -1ll : (long long)us(ns);
}

/* Of a boot, those that waited longest for reads first. */
static void put_units(FILE *out, const struct timeline *timeline, const struct sums *sums)
{
	fputs(",\n\"units\":[", out);
	for (size_t i = 0; i < sums->n_units; i++) {
		const struct sum_unit *unit = &sums->units[i];
		const struct timeline_unit *times = &timeline->units[unit->thread];

		fprintf(out, "%s\n[%u,%llu,%llu,%zu,%zu,%zu,%lld,%llu,%lld,%lld]", i ? "," : "", unit->thread,
			us(unit->waited), (unsigned long long)unit->bytes, unit->files, unit->reads,
			unit->seeks, unit->file == TIMELINE_NONE ? -1ll : (long long)unit->file,
			us(unit->file_waited), moment(times->started), moment(times->active));
	}
	fputc(']', out);
}

static int put_start(
	FILE *out, const struct timeline *timeline, const struct sums *sums, const struct room *room)
{
	_cleanup_free_ char *mostly = report_timeline_mostly(timeline, sums);
	int r = mostly ? 0 : -ENOMEM;

	fprintf(out, "{\"duration\":%llu,\"page_size\":%u,\"recorded\":%lld,\"lost\":%d",
		us(timeline->duration) ? us(timeline->duration) : 1, timeline->page_size,
		(long long)timeline->recorded, timeline->lost);
	if (r == 0)
		r = put_member(out, "mostly", mostly);
	if (r == 0)
		r = put_member(out, "program", timeline->program);
	if (r == 0)
		r = put_member(out, "command", timeline->command);
	if (r == 0)
		r = put_member(out, "kernel", timeline->kernel);
	if (r == 0)
		r = put_member(out, "ended_by", timeline->ended_by);
	if (r == 0)
		r = put_files(out, timeline);
	if (r == 0)
		r = put_threads(out, timeline, sums);
	put_spans(out, timeline, room);
	if (r == 0)
		r = put_reads(out, timeline, room);
	if (r == 0)
		r = put_marks(out, timeline);
	if (r == 0)
		r = put_notes(out, timeline);
	if (timeline_is_boot(timeline))
		put_units(out, timeline, sums);
	put_sums(out, sums);
	fputc('}', out);
	return r;
}

static int put_data(FILE *out, const struct report_starts *starts)
{
	const struct room room = {SPANS_MAX / starts->n, READS_MAX / starts->n};
	_cleanup_free_ char *sentence = report_starts_sentence(starts);
	int r = sentence ? 0 : -ENOMEM;

	fputc('{', out);
	if (r == 0)
		r = put_classes(out);
	if (r == 0)
		r = put_member(out, "summary", sentence);
	fputs(",\n\"starts\":[", out);
	for (size_t i = 0; r == 0 && i < starts->n; i++) {
		fputs(i ? ",\n" : "", out);
		r = put_start(out, &starts->timelines[i], &starts->sums[i], &room);
	}
	fputs("]}", out);
	return r;
}

int report_timeline_page(FILE *out, const struct timeline *timelines, size_t n)
{
	_cleanup_(report_starts_release) struct report_starts starts = {0};
	const char *style = strstr(page_html, "@STYLE@"), *place = strstr(page_html, "@DATA@"),
		   *script = strstr(page_html, "@SCRIPT@");
	int r = report_starts_init(&starts, timelines, n);

	if (r < 0)
		return r;
	fwrite(page_html, 1, (size_t)(style - page_html), out);
	fputs(page_css, out);
	style += strlen("@STYLE@");
	fwrite(style, 1, (size_t)(place - style), out);
	r = put_data(out, &starts);
	place += strlen("@DATA@");
	fwrite(place, 1, (size_t)(script - place), out);
	fputs(page_js, out);
	fputs(script + strlen("@SCRIPT@"), out);
	return r;
}
