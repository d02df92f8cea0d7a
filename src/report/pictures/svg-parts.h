/* SPDX-License-Identifier: MIT */
/* What a picture of a start is made of: text, boxes, and where a moment of time lies. Internal to src/report/pictures. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SVG_WIDTH 1200.0
#define SVG_LABEL 250.0 /* names, to the left of what is drawn */
#define SVG_EDGE  20.0
#define SVG_ROW   15.0

struct svg {
	FILE *out;
	double y;         /* what is above is drawn */
	uint64_t longest; /* nanoseconds: the whole width; not 0 */
};

/* The begin of the picture, without its size, and its colours, for light and dark. */
void svg_begin(struct svg *svg);

/* Where this time is, in pixels. */
double svg_x(const struct svg *svg, uint64_t time);

/* How wide a line of text is in pixels, roughly. */
double svg_text_width(const char *text);

/* A line of text, cut to about this width in pixels: at its beginning, since the end of a name says more. Escaped. */
void svg_text(struct svg *svg, const char *class, double x, double y, double width, const char *text);

/* Lines of text, broken at blanks, below each other; moves y. Escaped. */
void svg_paragraph(struct svg *svg, const char *class, double height, const char *text);

/* Boxes of one class come between these two. */
void svg_boxes_begin(struct svg *svg, const char *class);
void svg_box(struct svg *svg, double x, double y, double width, double height);
void svg_boxes_end(struct svg *svg);

/* A box without what is in it, of the class "mark". */
void svg_frame(struct svg *svg, double x, double y, double width, double height);

/* A swatch and its words; wraps; moves *x, and y when a line is full. */
void svg_legend(struct svg *svg, const char *class, const char *words, double *x);
