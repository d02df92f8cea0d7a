/* SPDX-License-Identifier: MIT */
/* Lays out the page for people. */
#include "report/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/cleanup.h"
#include "report/utf8.h"
#include "report/words.h"

#define LABEL_WIDTH 12
#define PATH_MIN    16 /* columns */

void table_title(FILE *out, const char *text, const struct report_style *style)
{
	fputs(style->colour ? "\033[1m" : "", out);
	table_safe_text(out, text, style);
	fputs(style->colour ? "\033[0m\n" : "\n", out);
}

/* Columns of a character; negative if the locale (LC_CTYPE) knows that it cannot be printed. */
static int columns_of(const char *text, size_t n)
{
	wchar_t wide;

	return n > 1 && mbrtowc(&wide, text, n, &(mbstate_t){0}) == n ? wcwidth(wide) : 1;
}

/* Bytes of the character at `text` if it can be printed as it is; 0 if it must be escaped. */
static size_t printable(const char *text, bool utf8)
{
	unsigned char c = (unsigned char)*text;
	size_t n;

	if (c < 0x80)
		return c >= ' ' && c != 0x7f;
	n = utf8 ? utf8_length(text) : 0;
	/* U+0080 to U+009F are control characters too. */
	return (n == 2 && c == 0xc2 && (unsigned char)text[1] < 0xa0) || columns_of(text, n) < 0 ? 0 : n;
}

static size_t step(const char *text, bool utf8, size_t *ret_width)
{
	size_t n = printable(text, utf8);

	*ret_width = n ? (size_t)columns_of(text, n) : 4;
	return n ? n : 1;
}

static size_t safe_width(const char *text, bool utf8)
{
	size_t sum = 0, width;

	for (; *text; sum += width)
		text += step(text, utf8, &width);
	return sum;
}

/* Prints as many characters as `width` has room for. */
static void print_safe(FILE *out, const char *text, size_t width, bool utf8)
{
	size_t used;

	for (size_t n; *text; text += n, width -= used) {
		n = step(text, utf8, &used);
		if (used > width)
			break;
		if (printable(text, utf8))
			fwrite(text, 1, n, out);
		else
			fprintf(out, "\\x%02x", (unsigned char)*text);
	}
}

void table_cut_text(
	FILE *out, const char *text, size_t width, enum table_cut cut, const struct report_style *style)
{
	const char *mark = style->utf8 ? "…" : "...";
	size_t mark_width = style->utf8 ? 1 : 3, left = safe_width(text, style->utf8), skipped;
	bool too_wide = left > width && width > mark_width;

	if (too_wide && cut == TABLE_CUT_BEGIN) {
		fputs(mark, out);
		for (; left > width - mark_width; left -= skipped)
			text += step(text, style->utf8, &skipped);
	}
	print_safe(out, text, too_wide ? width - mark_width : SIZE_MAX, style->utf8);
	if (too_wide && cut == TABLE_CUT_END)
		fputs(mark, out);
}

void table_safe_text(FILE *out, const char *text, const struct report_style *style)
{
	print_safe(out, text, SIZE_MAX, style->utf8);
}

void table_path(FILE *out, const char *path, size_t before, const struct report_style *style)
{
	size_t width = style->columns > before + PATH_MIN ? style->columns - before : PATH_MIN;

	table_cut_text(out, path, style->whole_paths ? SIZE_MAX : width, TABLE_CUT_BEGIN, style);
	fputc('\n', out);
}

void table_line(FILE *out, const struct report_style *style, const char *label, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	size_t at = LABEL_WIDTH + 2;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		return;
	fprintf(out, "  %-*s", LABEL_WIDTH, label);
	for (char *state, *word = strtok_r(text, " ", &state); word; word = strtok_r(NULL, " ", &state)) {
		size_t width = safe_width(word, style->utf8);

		if (at > LABEL_WIDTH + 2 && at + 1 + width > style->columns) {
			fprintf(out, "\n%*s", LABEL_WIDTH + 2, "");
			at = LABEL_WIDTH + 2;
		}
		if (at > LABEL_WIDTH + 2)
			at += (size_t)fprintf(out, " ");
		table_safe_text(out, word, style);
		at += width;
	}
	fputc('\n', out);
}

void table_bar_add(struct table_bar *bar, uint64_t page, uint64_t pages)
{
	double scale = (double)TABLE_BAR_CELLS / (double)bar->file_pages;
	double from = (double)page * scale, to = (double)(page + pages) * scale;

	for (size_t cell = 0; cell < TABLE_BAR_CELLS; cell++) {
		double low = from > (double)cell ? from : (double)cell;
		double high = to < (double)cell + 1 ? to : (double)cell + 1;

		if (high > low)
			bar->cells[cell] += high - low;
	}
}

/* How many parts of the bar are one character. */
static size_t cells_together(const struct report_style *style)
{
	return style->columns < TABLE_WIDE && !style->whole_paths ? 2 : 1;
}

static void print_bar(FILE *out, const struct table_bar *bar, const struct report_style *style)
{
	static const char *const blocks[] = {"·", "░", "▒", "▓", "█"};
	static const char *const ascii[] = {".", "-", "+", "*", "#"};

	size_t together = cells_together(style);

	for (size_t i = 0; i < TABLE_BAR_CELLS; i += together) {
		double share = (bar->cells[i] + bar->cells[i + together - 1]) / 2;
		int shade = share <= 0 ? 0 : share < 0.33 ? 1 : share < 0.67 ? 2 : share < 0.999 ? 3 : 4;

		fputs(style->utf8 ? blocks[shade] : ascii[shade], out);
	}
}

static int compare_rows(const void *a, const void *b)
{
	const struct table_row *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return strcmp(x->path, y->path);
}

static void print_row(
	FILE *out, const struct table *table, const struct table_row *row, const struct report_style *style)
{
	struct table_bar bar = {
		.file_pages = row->size / table->page_size + (row->size % table->page_size != 0)};
	char bytes[WORDS_MAX], size[WORDS_MAX];
	int before;

	if (bar.file_pages == 0)
		bar.file_pages = 1;
	table->fill_bar(&bar, table->context, row->source);
	before = fprintf(out, "  %9s %9s %7zu  %-8s  ", words_bytes(row->bytes, bytes),
		words_bytes(row->size, size), row->pieces, row->note);
	print_bar(out, &bar, style);
	fputs("  ", out);
	table_path(out, row->path, (size_t)before + TABLE_BAR_CELLS / cells_together(style) + 2, style);
}

void table_print(FILE *out, const struct table *table, const struct report_style *style)
{
	size_t shown = table->n_rows < style->rows ? table->n_rows : style->rows;
	_cleanup_free_ char *title = NULL;

	if (table->n_rows > 0)
		qsort(table->rows, table->n_rows, sizeof(*table->rows), compare_rows);
	if (asprintf(&title, shown < table->n_rows ? "%s (%zu of %zu; --all for the rest)" : "%s",
		    table->title, shown, table->n_rows) < 0)
		return;
	fputc('\n', out);
	table_title(out, title, style);
	fprintf(out, "  %9s %9s %7s  %-8s  %-*s  file\n", table->bytes, "of", table->pieces, table->note,
		(int)(TABLE_BAR_CELLS / cells_together(style)),
		cells_together(style) == 1 ? "where in the file" : "where");
	for (size_t i = 0; i < shown; i++)
		print_row(out, table, &table->rows[i], style);
}
