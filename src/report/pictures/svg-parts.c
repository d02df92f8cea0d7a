/* SPDX-License-Identifier: MIT */
#include "report/pictures/svg-parts.h"

#include <string.h>

#include "page-text.h"
#include "report/utf8.h"

#define LETTER 6.1 /* pixels that a letter of 11 pixels' height takes, roughly */

static void put_colours(FILE *out, bool dark)
{
	for (size_t i = 0; i < sizeof(page_colours) / sizeof(*page_colours); i++) {
		const char *colour = dark ? page_colours[i].dark : page_colours[i].light;

		fprintf(out, ".%s{fill:%s}", page_colours[i].name, colour);
		if (strcmp(page_colours[i].name, "line") == 0 || strcmp(page_colours[i].name, "mark") == 0)
			fprintf(out, "line.%s{stroke:%s}", page_colours[i].name, colour);
		if (strcmp(page_colours[i].name, "faint") == 0)
			fprintf(out, ".frame{stroke:%s}", colour);
	}
}

void svg_begin(struct svg *svg)
{
	fputs("<style>text{font:11px system-ui,sans-serif}.h{font-size:20px;font-weight:600}"
	      ".s{font-size:14px}.b{font-size:14px;font-weight:600}.end{text-anchor:end}",
		svg->out);
	put_colours(svg->out, false);
	fputs("@media screen and (prefers-color-scheme:dark){", svg->out);
	put_colours(svg->out, true);
	fputs("}</style>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n", svg->out);
}

double svg_x(const struct svg *svg, uint64_t time)
{
	return SVG_LABEL + (double)time / (double)svg->longest * (SVG_WIDTH - SVG_EDGE - SVG_LABEL);
}

/* What XML has no place for, though it is UTF-8: most control characters, and two that are none. */
static bool is_foreign(const char *text)
{
	unsigned char c = (unsigned char)*text;

	return c < 0x20 || c == 0x7f || strncmp(text, "\xef\xbf\xbe", 3) == 0 ||
		strncmp(text, "\xef\xbf\xbf", 3) == 0;
}

static void put_escaped(FILE *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size;) {
		size_t length = utf8_length(text + i);
		unsigned char c = (unsigned char)text[i];

		if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'')
			fprintf(out, "&#%d;", c);
		else if (length == 0 || is_foreign(text + i))
			fputs("\xef\xbf\xbd", out);
		else
			fwrite(text + i, 1, length, out);
		i += length ? length : 1;
	}
}

double svg_text_width(const char *text)
{
	return (double)strlen(text) * LETTER;
}

void svg_text(struct svg *svg, const char *class, double x, double y, double width, const char *text)
{
	size_t most = width > 4 * LETTER ? (size_t)(width / LETTER) : 4, size = strlen(text);
	const char *from = size > most ? text + (size - most) : text;

	while (from > text && ((unsigned char)*from & 0xc0) == 0x80)
		from++;
	fprintf(svg->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s", class, x, y,
		from > text ? "\xe2\x80\xa6" : "");
	put_escaped(svg->out, from, strlen(from));
	fputs("</text>\n", svg->out);
}

void svg_paragraph(struct svg *svg, const char *class, double height, const char *text)
{
	size_t most = (size_t)((SVG_WIDTH - 2 * SVG_EDGE) / (LETTER * height / 15));

	for (size_t size; *text; text += size) {
		size = strlen(text);
		if (size > most) {
			size = most;
			while (size > 0 && text[size] != ' ')
				size--;
			/* Without a blank it is broken anywhere, but not inside a letter. */
			for (size = size ? size : most;
				size > 1 && ((unsigned char)text[size] & 0xc0) == 0x80;)
				size--;
		}
		svg->y += height;
		fprintf(svg->out, "<text class=\"%s\" x=\"%.0f\" y=\"%.1f\">", class, SVG_EDGE, svg->y);
		put_escaped(svg->out, text, size);
		fputs("</text>\n", svg->out);
		size += text[size] == ' ';
	}
}

void svg_boxes_begin(struct svg *svg, const char *class)
{
	fprintf(svg->out, "<path class=\"%s\" d=\"", class);
}

void svg_box(struct svg *svg, double x, double y, double width, double height)
{
	fprintf(svg->out, "M%.1f %.1fh%.1fv%.1fh-%.1fz", x, y, width, height, width);
}

void svg_boxes_end(struct svg *svg)
{
	fputs("\"/>\n", svg->out);
}

void svg_frame(struct svg *svg, double x, double y, double width, double height)
{
	fprintf(svg->out,
		"<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke-width=\"0.8\"/>\n",
		x, y, width, height);
}

void svg_legend(struct svg *svg, const char *class, const char *words, double *x)
{
	double width = 22 + LETTER * (double)strlen(words);

	if (*x + width > SVG_WIDTH - SVG_EDGE && *x > SVG_EDGE) {
		*x = SVG_EDGE;
		svg->y += 17;
	}
	svg_boxes_begin(svg, class);
	svg_box(svg, *x, svg->y - 9, 10, 10);
	svg_boxes_end(svg);
	svg_text(svg, "text", *x + 15, svg->y, width, words);
	*x += width;
}
