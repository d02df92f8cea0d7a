/* SPDX-License-Identifier: MIT */
/* The same lanes as those of the page (page/page.js), but only of the files that were waited for most. */
#include "report/pictures/svg-reads.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "report/pictures/kinds.h"
#include "report/pictures/strokes.h"
#include "report/timelines/words.h"

#define READS_MAX 20000u /* that are drawn: some 30 bytes each */
#define LANES_MAX 40u
#define LANE_MIN  3.0
#define LANE_MAX  80.0

struct lane {
	uint32_t file;
	const uint32_t *reads; /* borrowed; ascending by page */
	size_t n;
	uint64_t first; /* nanoseconds: its first read begins */
	double pages;   /* that its height stands for */
	double top, height;
};

struct lanes {
	const struct timeline *timeline;
	uint32_t *reads; /* owned; all reads, ascending by file, then by page */
	struct lane items[LANES_MAX];
	size_t n;
	uint64_t shortest; /* reads that took less are left out */
};

static void lanes_release(struct lanes *lanes)
{
	free(lanes->reads);
}

static int compare_lanes(const void *a, const void *b)
{
	const struct lane *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* The first read of the file, in the order of places. */
static size_t first_of(const struct lanes *lanes, uint32_t file)
{
	const struct timeline *timeline = lanes->timeline;

	return ARRAY_BISECT(i, timeline->n_reads, timeline->reads[lanes->reads[i]].file < file);
}

static bool is_regular(const struct timeline *timeline, uint32_t file)
{
	return file < timeline->n_files && timeline->files[file].kind == TIMELINE_REGULAR;
}

static struct lane make_lane(const struct lanes *lanes, uint32_t file)
{
	const struct timeline *timeline = lanes->timeline;
	struct lane lane = {.file = file, .reads = lanes->reads + first_of(lanes, file), .first = UINT64_MAX};
	uint64_t last = 1;

	for (; lane.reads + lane.n < lanes->reads + timeline->n_reads; lane.n++) {
		const struct timeline_read *read = &timeline->reads[lane.reads[lane.n]];

		if (read->file != file)
			break;
		lane.first = read->begin < lane.first ? read->begin : lane.first;
		last = (uint64_t)read->page + read->pages > last ? (uint64_t)read->page + read->pages : last;
	}
	if (is_regular(timeline, file) && timeline->files[file].pages > last)
		last = timeline->files[file].pages;
	/* What is no file lies all over the disk: what was not read of it is left out. */
	lane.pages = is_regular(timeline, file) ? (double)last : (double)lane.n;
	lane.height = fmin(LANE_MAX, fmax(LANE_MIN, sqrt(lane.pages) * 1.1));
	return lane;
}

static int lanes_init(struct lanes *lanes, const struct timeline *timeline, const struct sums *sums)
{
	lanes->timeline = timeline;
	lanes->reads = calloc(timeline->n_reads + 1, sizeof(*lanes->reads));
	if (!lanes->reads)
		return -ENOMEM;
	for (size_t i = 0; i < timeline->n_reads; i++)
		lanes->reads[i] = (uint32_t)i;
	timeline_sort_by_place(timeline, lanes->reads, timeline->n_reads);
	for (size_t i = 0; i < sums->n_files && lanes->n < LANES_MAX; i++)
		if (sums->files[i].reads > 0)
			lanes->items[lanes->n++] = make_lane(lanes, sums->files[i].file);
	qsort(lanes->items, lanes->n, sizeof(*lanes->items), compare_lanes);
	return strokes_shortest_read(timeline, READS_MAX, &lanes->shortest);
}

static void draw_kind(struct svg *svg, const struct lanes *lanes, enum picture_kind kind)
{
	svg_boxes_begin(svg, picture_kinds[kind].name);
	for (size_t i = 0; i < lanes->n; i++) {
		const struct lane *lane = &lanes->items[i];

		for (size_t j = 0; j < lane->n; j++) {
			const struct timeline_read *read = &lanes->timeline->reads[lane->reads[j]];
			bool regular = is_regular(lanes->timeline, lane->file);
			double at = regular ? read->page : (double)j, pages = regular ? read->pages : 1;

			if (picture_kind(lanes->timeline, read) != kind ||
				read->end - read->begin < lanes->shortest)
				continue;
			svg_box(svg, svg_x(svg, read->begin), lane->top + at / lane->pages * lane->height,
				fmax(1, svg_x(svg, read->end) - svg_x(svg, read->begin)),
				fmax(1, pages / lane->pages * lane->height));
		}
	}
	svg_boxes_end(svg);
}

void svg_reads_legend(struct svg *svg, const struct timeline *timeline)
{
	bool used[PICTURE_KINDS] = {false};
	double x = SVG_EDGE;

	for (size_t i = 0; i < timeline->n_reads; i++)
		used[picture_kind(timeline, &timeline->reads[i])] = true;
	for (enum picture_kind kind = 0; kind < PICTURE_KINDS; kind++)
		if (used[kind])
			svg_legend(svg, picture_kinds[kind].name, picture_kinds[kind].words, &x);
}

/* As many names as there is room for. */
static int draw_names(struct svg *svg, const struct lanes *lanes)
{
	double free = 0;

	for (size_t i = 0; i < lanes->n; i++) {
		const struct lane *lane = &lanes->items[i];
		double y = fmax(lane->top + lane->height / 2 + 4, free);
		_cleanup_free_ char *name = report_timeline_file(lanes->timeline, lane->file);

		if (!name)
			return -ENOMEM;
		if (y > lane->top + lane->height + 8)
			continue;
		svg_text(svg, "text", SVG_EDGE, y, SVG_LABEL - SVG_EDGE - 14, name);
		free = y + 12;
	}
	return 0;
}

int svg_reads(struct svg *svg, const struct timeline *timeline, const struct sums *sums)
{
	_cleanup_(lanes_release) struct lanes lanes = {0};
	int r = lanes_init(&lanes, timeline, sums);

	if (r < 0)
		return r;
	svg_boxes_begin(svg, "row");
	for (size_t i = 0; i < lanes.n; i++) {
		lanes.items[i].top = svg->y;
		svg->y += lanes.items[i].height + 3;
		if (i % 2 == 0)
			svg_box(svg, SVG_LABEL, lanes.items[i].top - 1, SVG_WIDTH - SVG_EDGE - SVG_LABEL,
				lanes.items[i].height + 2);
	}
	svg_boxes_end(svg);
	for (enum picture_kind kind = 0; kind < PICTURE_KINDS; kind++)
		draw_kind(svg, &lanes, kind);
	return draw_names(svg, &lanes);
}
