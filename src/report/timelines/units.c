/* SPDX-License-Identifier: MIT */
#include "report/timelines/units.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "report/table.h"
#include "report/timelines/words.h"

/* "3.1", or "-" if it is not known. */
static const char *time_text(uint64_t ns, char buffer[WORDS_MAX])
{
	if (ns == TIMELINE_NEVER)
		snprintf(buffer, WORDS_MAX, "-");
	else
		report_timeline_time(ns, buffer);
	return buffer;
}

/* The file that the unit waited for longest, below its line. */
static int print_file(FILE *out, const struct timeline *timeline, const struct sum_unit *unit,
	const struct report_style *style)
{
	_cleanup_free_ char *name = report_timeline_file(timeline, unit->file);
	char time[WORDS_MAX];
	int before;

	if (!name)
		return -ENOMEM;
	before = fprintf(out, "%48s%s s of it for ", "", report_timeline_time(unit->file_waited, time));
	table_path(out, name, before < 0 ? 0 : (size_t)before, style);
	return 0;
}

int report_units_print(
	FILE *out, const struct timeline *timeline, const struct sums *sums, const struct report_style *style)
{
	size_t shown = sums->n_units < style->rows ? sums->n_units : style->rows;
	int r = 0;

	fputc('\n', out);
	table_title(out, "units by the time that they waited for reads", style);
	fputs("   waited      read  files  reads  seeks started active  unit\n", out);
	for (size_t i = 0; r == 0 && i < shown; i++) {
		const struct sum_unit *unit = &sums->units[i];
		const struct timeline_unit *times = &timeline->units[unit->thread];
		char a[WORDS_MAX], b[WORDS_MAX], c[WORDS_MAX], d[WORDS_MAX];
		int before = fprintf(out, "%7s s %9s %6zu %6zu %6zu %7s %6s  ",
			report_timeline_time(unit->waited, a), words_bytes(unit->bytes, b), unit->files,
			unit->reads, unit->seeks, time_text(times->started, c), time_text(times->active, d));

		table_path(out, timeline->threads[unit->thread].name, before < 0 ? 0 : (size_t)before, style);
		if (unit->file != TIMELINE_NONE && unit->file_waited * 2 > unit->waited)
			r = print_file(out, timeline, unit, style);
	}
	if (shown < sums->n_units)
		fprintf(out, "  and %zu more\n", sums->n_units - shown);
	return r;
}
