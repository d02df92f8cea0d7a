/* SPDX-License-Identifier: MIT */
/* Writes a timeline in the Trace Event Format, event by event. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "report/json-text.h"
#include "report/pictures/pictures.h"
#include "report/timelines/words.h"
#include "timeline/causes.h"

#define READS_PID 0 /* no process has this number */

/* Begins an event that is followed by its name; times are in microseconds. */
static void begin(FILE *out, const char *phase, int pid, long long tid, uint64_t time)
{
	fprintf(out, ",\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%lld,\"ts\":%.3f,\"name\":", phase, pid, tid,
		(double)time / 1e3);
}

/* What a process or a thread is called. */
static int put_name(FILE *out, const char *what, int pid, long long tid, const char *name)
{
	int r;

	fprintf(out, ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%lld,\"name\":\"%s\",\"args\":{\"name\":", pid, tid,
		what);
	r = json_text_write(out, name);
	fputs("}}", out);
	return r;
}

static int put_names(FILE *out, const struct timeline *timeline)
{
	int r = put_name(out, "process_name", READS_PID, 0, "reads");

	for (size_t i = 0; r == 0 && i < timeline->n_threads; i++) {
		const struct timeline_thread *thread = &timeline->threads[i];

		if (thread->tid == thread->pid)
			r = put_name(out, "process_name", thread->pid, thread->tid, thread->name);
		if (r == 0)
			r = put_name(out, "thread_name", thread->pid, thread->tid, thread->name);
	}
	for (size_t i = 0; r == 0 && i < timeline->n_files; i++)
		r = put_name(out, "thread_name", READS_PID, (long long)i + 1, timeline->files[i].path);
	return r;
}

static int put_spans(FILE *out, const struct timeline *timeline)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < timeline->n_spans; i++) {
		const struct timeline_span *span = &timeline->spans[i];
		const struct timeline_thread *thread = &timeline->threads[span->thread];

		begin(out, "X", thread->pid, thread->tid, span->begin);
		fprintf(out, "\"%s\",\"dur\":%.3f", timeline_state_name(span->state),
			(double)(span->end - span->begin) / 1e3);
		if (span->file != TIMELINE_NONE) {
			fputs(",\"args\":{\"file\":", out);
			r = json_text_write(out, timeline->files[span->file].path);
			fputc('}', out);
		} else if (span->note != TIMELINE_NONE) {
			fputs(",\"args\":{\"for\":", out);
			r = json_text_write(out, timeline->notes[span->note]);
			fputc('}', out);
		}
		fputc('}', out);
	}
	return r;
}

/*
 * Reads of a file may overlap, which complete events of one thread must not: so they are asynchronous. Perfetto makes tracks of
 * asynchronous events by their names, whatever their threads are: so the name is that of the file.
 */
static int put_read(FILE *out, const struct timeline *timeline, size_t i)
{
	const struct timeline_read *read = &timeline->reads[i];
	long long lane = read->file == TIMELINE_NONE ? 0 : (long long)read->file + 1;
	_cleanup_free_ char *name = report_timeline_file(timeline, read->file);

	if (!name)
		return -ENOMEM;
	begin(out, "b", READS_PID, lane, read->begin);
	if (json_text_write(out, name) < 0)
		return -ENOMEM;
	fprintf(out,
		",\"cat\":\"read\",\"id\":%zu,\"args\":{\"page\":%u,\"pages\":%u,\"place\":%llu,\"seeks\":%s,"
		"\"ahead\":%s,\"thread\":%d,\"file\":",
		i, read->page, read->pages, (unsigned long long)read->place, read->seeks ? "true" : "false",
		read->ahead ? "true" : "false", timeline->threads[read->thread].tid);
	if (json_text_write(out, name) < 0)
		return -ENOMEM;
	fputs("}}", out);
	begin(out, "e", READS_PID, lane, read->end);
	if (json_text_write(out, name) < 0)
		return -ENOMEM;
	fprintf(out, ",\"cat\":\"read\",\"id\":%zu}", i);
	return 0;
}

static int put_marks(FILE *out, const struct timeline *timeline)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < timeline->n_execs; i++) {
		const struct timeline_thread *thread = &timeline->threads[timeline->execs[i].thread];

		begin(out, "i", thread->pid, thread->tid, timeline->execs[i].time);
		r = json_text_write(out, timeline->execs[i].path);
		fputs(",\"s\":\"p\"}", out);
	}
	for (size_t i = 0; r == 0 && i < timeline->n_marks; i++) {
		begin(out, "i", timeline->threads[0].pid, timeline->threads[0].tid, timeline->marks[i].time);
		r = json_text_write(out, timeline->marks[i].name);
		fputs(",\"s\":\"g\"}", out);
	}
	return r;
}

int report_timeline_perfetto(FILE *out, const struct timeline *timeline, size_t n)
{
	int r;

	(void)n;
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
	      "{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":1000000000}}",
		out);
	r = put_names(out, timeline);
	if (r == 0)
		r = put_spans(out, timeline);
	for (size_t i = 0; r == 0 && i < timeline->n_reads; i++)
		r = put_read(out, timeline, i);
	if (r == 0)
		r = put_marks(out, timeline);
	fputs("\n]}\n", out);
	return r;
}
