/* SPDX-License-Identifier: MIT */
/* How a page on standard output may look. */
#pragma once

#include "report/report.h"

/*
 * As wide as COLUMNS or the terminal says, in the locale's characters (LC_CTYPE is set from the environment);
 * colour only on a terminal that is not dumb, and not with NO_COLOR (https://no-color.org).
 */
struct report_style page_style(size_t rows);

/*
 * A line on standard output: what it is about, a path or another text that comes from a file, and the end, which may be
 * "". On a terminal the text has nothing that the terminal would act on; elsewhere it is as it is.
 */
void page_line(const char *label, const char *text, const char *end);
