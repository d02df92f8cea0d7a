/* SPDX-License-Identifier: MIT */
/* Decides how a page on standard output may look. */
#pragma once

#include "report/style.h"

/*
 * The page is as wide as COLUMNS or the terminal says, in the locale's characters (LC_CTYPE is set from the
 * environment). It has colour only on a terminal that is not dumb, and not with NO_COLOR (https://no-color.org).
 */
struct report_style page_style(size_t rows);

/*
 * Prints a line on standard output: its subject, then a path or another text from a file, then the end, which may be
 * "". On a terminal the text is printed without anything that the terminal would act on; elsewhere it is unchanged.
 */
void page_line(const char *label, const char *text, const char *end);

/*
 * Prints lines of a text from a file, each of which ends with a newline or a NUL, in the same way. A terminal gets newlines for both, and
 * everybody else the very bytes.
 */
void page_lines(char *text, size_t size);

/*
 * Prints the rest of a line of which `before` columns are taken: a path. On a terminal, or if COLUMNS says how wide the
 * page is, its beginning is cut so that the line fits; otherwise it is printed as it is.
 */
void page_path(const char *path, size_t before);
