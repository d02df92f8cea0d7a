/* SPDX-License-Identifier: MIT */
/* Decides how a page on standard output may look. */
#include "lib/print/page-style.h"

#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/strings.h"
#include "report/table.h"
#include "verb.h"

/* The width that COLUMNS or the terminal gives; 0 if neither does. */
static size_t known_columns(void)
{
	const char *columns = getenv("COLUMNS");
	unsigned long long wanted;
	struct winsize size;

	if (columns && verb_parse_u64(columns, &wanted) && wanted > 0 && wanted < 100000)
		return (size_t)wanted;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return 0;
}

struct report_style page_style(size_t rows)
{
	const char *term = getenv("TERM");
	size_t columns = known_columns();

	setlocale(LC_CTYPE, "");
	return (struct report_style){
		.columns = columns ? columns : TABLE_WIDE,
		.rows = rows,
		.whole_paths = !columns && !isatty(STDOUT_FILENO),
		.utf8 = streq(nl_langinfo(CODESET), "UTF-8"),
		.colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR") && term && !streq(term, "dumb"),
	};
}

void page_line(const char *label, const char *text, const char *end)
{
	struct report_style style;

	if (!isatty(STDOUT_FILENO)) {
		printf("%s%s%s\n", label, text, end);
		return;
	}
	style = page_style(SIZE_MAX);
	fputs(label, stdout);
	table_safe_text(stdout, text, &style);
	puts(end);
}

void page_lines(char *text, size_t size)
{
	char *end = text + size;

	if (!isatty(STDOUT_FILENO)) {
		fwrite(text, 1, size, stdout);
		return;
	}
	for (size_t length; text < end; text += length + 1) {
		length = strcspn(text, "\n");
		text[length] = '\0';
		page_line("", text, "");
	}
}

void page_path(const char *path, size_t before)
{
	struct report_style style = page_style(SIZE_MAX);

	if (style.whole_paths)
		puts(path);
	else
		table_path(stdout, path, before, &style);
}
