/* SPDX-License-Identifier: MIT */
/* A picture of one start, or of two below each other with one time axis: what the page shows, without what moves. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/pictures/pictures.h"
#include "report/pictures/strokes.h"
#include "report/pictures/svg-reads.h"
#include "report/timelines/report.h"
#include "report/timelines/starts.h"
#include "report/timelines/words.h"

#define ROWS_MAX   40u
#define SPANS_MAX  20000u
#define MARKS_MAX  50u
#define NAME_ROW   14.0 /* pixels, of names of milestones */
#define NAME_WIDTH 200.0

/* Lines at round times across what was drawn since `top`, and the times above. */
static void draw_axis(struct svg *svg, double top)
{
	double longest = (double)svg->longest / 1e9, step = pow(10, floor(log10(longest / 8)));
	char text[32];

	step *= longest / 8 / step > 5 ? 10 : longest / 8 / step > 2 ? 5 : 2;
	for (double time = 0; time <= longest; time += step) {
		double x = svg_x(svg, (uint64_t)(time * 1e9));

		fprintf(svg->out,
			"<line class=\"line\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke-width=\"0.5\"/>\n",
			x, x, top, svg->y);
		snprintf(text, sizeof(text), "%.*f s", step >= 1 ? 0 : (int)ceil(-log10(step)), time);
		if (x < SVG_WIDTH - 60)
			svg_text(svg, "faint", x - 8, top - 4, 100, text);
		else
			svg_text(svg, "faint end", SVG_WIDTH - 4, top - 4, 100, text);
	}
}

static void draw_mark(struct svg *svg, double top, uint64_t time, bool exec)
{
	double x = svg_x(svg, time);

	fprintf(svg->out, "<line class=\"mark\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"%s/>\n", x, x,
		top, svg->y, exec ? " stroke-dasharray=\"2 3\" stroke-opacity=\"0.45\"" : "");
}

/*
 * Where the names of milestones stand above the axis: in as many rows as they need to stand beside each other. A name that ends behind a later
 * line is in a higher row than the name of that, so no line crosses a name.
 */
struct names {
	size_t n, rows, row_of[MARKS_MAX]; /* 0: the lowest */
	bool to_the_left[MARKS_MAX];       /* of their lines, as there is no room to the right */
};

static void place_names(const struct svg *svg, const struct timeline *timeline, struct names *ret)
{
	const struct timeline_mark *marks = timeline->marks;

	*ret = (struct names){.n = timeline->n_marks < MARKS_MAX ? timeline->n_marks : MARKS_MAX};
	for (size_t i = ret->n; i-- > 0;) {
		double width = svg_text_width(marks[i].name), end = svg_x(svg, marks[i].time);

		end += (width < NAME_WIDTH ? width : NAME_WIDTH) + 12;
		ret->to_the_left[i] = end > SVG_WIDTH;
		for (size_t j = i + 1; j < ret->n; j++)
			if (svg_x(svg, marks[j].time) < end && ret->row_of[i] <= ret->row_of[j])
				ret->row_of[i] = ret->row_of[j] + 1;
		ret->rows = ret->row_of[i] + 1 > ret->rows ? ret->row_of[i] + 1 : ret->rows;
	}
}

static void draw_marks(
	struct svg *svg, const struct timeline *timeline, const struct names *names, double top)
{
	for (size_t i = 0; i < timeline->n_execs && i < 200; i++)
		draw_mark(svg, top, timeline->execs[i].time, true);
	for (size_t i = 0; i < names->n; i++) {
		const struct timeline_mark *mark = &timeline->marks[i];
		double y = top - 16 - NAME_ROW * (double)(names->row_of[i] + 1);
		double x = svg_x(svg, mark->time) + (names->to_the_left[i] ? -4 : 4);

		draw_mark(svg, y, mark->time, false);
		svg_text(svg, names->to_the_left[i] ? "text end" : "text", x, y + 10, NAME_WIDTH, mark->name);
	}
}

/* A part of the bar; moves *x. */
static void draw_cause(struct svg *svg, const char *name, uint64_t took, double *x)
{
	double scale = svg_x(svg, svg->longest) - SVG_LABEL,
	       width = (double)took / (double)svg->longest * scale;

	svg_boxes_begin(svg, name);
	svg_box(svg, *x, svg->y + 5, width, 20);
	svg_boxes_end(svg);
	*x += width;
}

/* One bar as long as the start, in parts, and what they are. */
static void draw_causes(struct svg *svg, const struct timeline *timeline, const struct sums *sums)
{
	double x = SVG_LABEL, legend = SVG_EDGE;
	char time[WORDS_MAX], words[128];
	bool used[TIMELINE_STATES] = {false};

	svg_text(svg, "text", SVG_EDGE, svg->y + 19, SVG_LABEL - SVG_EDGE, "where the time went");
	for (enum timeline_state state = 0; state < TIMELINE_STATES; state++)
		draw_cause(svg, timeline_state_name(state), sums->causes.states[state], &x);
	draw_cause(svg, "nobody", sums->causes.nobody, &x);
	for (size_t i = 0; i < timeline->n_spans; i++)
		used[timeline->spans[i].state] = true;
	svg->y += 44;
	for (enum timeline_state state = 0; state < TIMELINE_STATES; state++) {
		if (!used[state])
			continue;
		if (sums->causes.states[state] <= timeline->duration / 500) {
			svg_legend(svg, timeline_state_name(state), report_timeline_state(state), &legend);
			continue;
		}
		snprintf(words, sizeof(words), "%s: %s s", report_timeline_state(state),
			report_timeline_time(sums->causes.states[state], time));
		svg_legend(svg, timeline_state_name(state), words, &legend);
	}
	if (sums->causes.nobody > timeline->duration / 500) {
		snprintf(words, sizeof(words), REPORT_NOBODY ": %s s",
			report_timeline_time(sums->causes.nobody, time));
		svg_legend(svg, "nobody", words, &legend);
	}
}

static int compare_rows(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The rows of a boot: the units that waited longest for reads, in the order in which they began. */
static size_t number_units(const struct timeline *timeline, const struct sums *sums, size_t *rows)
{
	uint32_t shown[ROWS_MAX];
	size_t n = sums->n_units < ROWS_MAX ? sums->n_units : ROWS_MAX;

	for (size_t i = 0; i < timeline->n_threads; i++)
		rows[i] = SIZE_MAX;
	for (size_t i = 0; i < n; i++)
		shown[i] = sums->units[i].thread;
	qsort(shown, n, sizeof(*shown), compare_rows);
	for (size_t i = 0; i < n; i++)
		rows[shown[i]] = i;
	return n;
}

/* When each unit was started and when it became active: a frame around its row. */
static void draw_activations(struct svg *svg, const struct timeline *timeline, const size_t *rows)
{
	for (size_t i = 0; i < timeline->n_units; i++) {
		const struct timeline_unit *unit = &timeline->units[i];
		double from;

		if (rows[i] == SIZE_MAX || unit->started == TIMELINE_NEVER || unit->active == TIMELINE_NEVER)
			continue;
		from = svg_x(svg, unit->started);
		svg_frame(svg, from, svg->y + SVG_ROW * (double)rows[i] + 1,
			fmax(1, svg_x(svg, unit->active) - from), SVG_ROW - 2);
	}
}

/* The rows of the threads: a process, then its other threads. rows[i] is the row of thread i; SIZE_MAX without one. */
static size_t number_rows(const struct timeline *timeline, size_t *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < timeline->n_threads; i++)
		rows[i] = SIZE_MAX;
	for (size_t i = 0; i < timeline->n_threads && n < ROWS_MAX; i++) {
		if (timeline->threads[i].tid != timeline->threads[i].pid)
			continue;
		rows[i] = n++;
		for (size_t j = i + 1; j < timeline->n_threads && n < ROWS_MAX; j++)
			if (rows[j] == SIZE_MAX && timeline->threads[j].pid == timeline->threads[i].pid)
				rows[j] = n++;
	}
	return n;
}

static void draw_spans(struct svg *svg, const struct timeline *timeline, const size_t *rows, uint64_t finest,
	enum timeline_state state)
{
	bool reads = state <= TIMELINE_READ;
	struct stroke stroke;

	svg_boxes_begin(svg, timeline_state_name(state));
	for (size_t at = 0; stroke_next(timeline, finest, &at, &stroke);) {
		const struct timeline_span *span = &timeline->spans[stroke.span];

		if (span->state == state && rows[span->thread] != SIZE_MAX)
			svg_box(svg, svg_x(svg, stroke.begin),
				svg->y + SVG_ROW * (double)rows[span->thread] + (reads ? 2 : 5.5),
				fmax(0.5, svg_x(svg, stroke.end) - svg_x(svg, stroke.begin)),
				reads ? SVG_ROW - 4 : SVG_ROW - 11);
	}
	svg_boxes_end(svg);
}

static int draw_threads(struct svg *svg, const struct timeline *timeline, const struct sums *sums)
{
	_cleanup_free_ size_t *rows = calloc(timeline->n_threads + 1, sizeof(*rows));
	uint64_t finest = strokes_finest(timeline, svg->longest / 2000 + 1, SPANS_MAX);
	char words[64];
	size_t n;

	if (!rows)
		return -ENOMEM;
	n = timeline_is_boot(timeline) ? number_units(timeline, sums, rows) : number_rows(timeline, rows);
	for (size_t i = 0; i < timeline->n_threads; i++) {
		const struct timeline_thread *thread = &timeline->threads[i];
		const char *name = thread->tid == thread->pid ? sums->programs[i] : thread->name,
			   *slash = strrchr(name, '/');
		double indent = thread->tid == thread->pid ? 0 : 12;

		if (rows[i] != SIZE_MAX)
			svg_text(svg, indent > 0 ? "faint" : "text", SVG_EDGE + indent,
				svg->y + SVG_ROW * (double)rows[i] + 11, SVG_LABEL - SVG_EDGE - indent - 14,
				slash ? slash + 1 : name);
	}
	for (enum timeline_state state = 0; state < TIMELINE_STATES; state++)
		draw_spans(svg, timeline, rows, finest, state);
	draw_activations(svg, timeline, rows);
	svg->y += SVG_ROW * (double)n;
	if (n < timeline->n_threads) {
		snprintf(words, sizeof(words), "and %zu more", timeline->n_threads - n);
		svg->y += SVG_ROW;
		svg_text(svg, "faint", SVG_EDGE, svg->y - 4, SVG_LABEL, words);
	}
	return 0;
}

static int draw_start(struct svg *svg, const struct timeline *timeline, const struct sums *sums)
{
	_cleanup_free_ char *mostly = report_timeline_mostly(timeline, sums), *line = NULL;
	struct names names;
	double top;
	int r;

	if (!mostly || asprintf(&line, "Mostly %s.", mostly) < 0)
		return -ENOMEM;
	svg_paragraph(svg, "text s", 19, line);
	svg_paragraph(svg, "faint", 16, timeline->command ? timeline->command : "");
	svg->y += 4;
	draw_causes(svg, timeline, sums);
	svg->y += 22;
	svg_reads_legend(svg, timeline);
	place_names(svg, timeline, &names);
	top = svg->y += 26 + NAME_ROW * (double)names.rows;
	svg->y += 6;
	r = svg_reads(svg, timeline, sums);
	svg->y += 12;
	if (r == 0)
		r = draw_threads(svg, timeline, sums);
	svg->y += 4;
	draw_axis(svg, top);
	draw_marks(svg, timeline, &names, top);
	svg->y += 20;
	return r;
}

static int draw(struct svg *svg, const struct report_starts *starts)
{
	static const char *const numbers[REPORT_STARTS_MAX] = {"First", "Second"};
	_cleanup_free_ char *sentence = report_starts_sentence(starts), *title = NULL;
	const struct timeline *first = &starts->timelines[0];
	int r = sentence ? 0 : -ENOMEM;

	if (r < 0)
		return r;
	svg_begin(svg);
	svg->y = 34;
	if (asprintf(&title, "%s%s", timeline_is_boot(first) ? "Boot of " : "",
		    first->program ? first->program : "") < 0)
		return -ENOMEM;
	svg_text(svg, "text h", SVG_EDGE, svg->y, 640, title);
	svg->y += 4;
	svg_paragraph(svg, "text s", 19, sentence);
	for (size_t i = 0; r == 0 && i < starts->n; i++) {
		svg->y += 8;
		if (starts->n > 1) {
			char name[64];

			snprintf(name, sizeof(name), "%s %s%s", numbers[i],
				report_timeline_word(&starts->timelines[i]),
				starts->sums[i].prefetches > 0 ? ", with headstart" : "");
			svg_paragraph(svg, "text b", 20, name);
		}
		r = draw_start(svg, &starts->timelines[i], &starts->sums[i]);
	}
	return r;
}

int report_timeline_svg(FILE *out, const struct timeline *timelines, size_t n)
{
	_cleanup_(report_starts_release) struct report_starts starts = {0};
	_cleanup_free_ char *body = NULL;
	struct svg svg = {.longest = 1};
	size_t size;
	int r = report_starts_init(&starts, timelines, n);

	if (r < 0)
		return r;
	svg.out = open_memstream(&body, &size); /* the height comes first, and is known last */
	if (!svg.out)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (timelines[i].duration > svg.longest)
			svg.longest = timelines[i].duration;
	r = draw(&svg, &starts);
	if (fclose(svg.out) != 0)
		r = -ENOMEM;
	if (r == 0)
		fprintf(out,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n%s</svg>\n",
			SVG_WIDTH, svg.y, SVG_WIDTH, svg.y, body);
	return r;
}
