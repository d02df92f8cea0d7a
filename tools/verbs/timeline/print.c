/* SPDX-License-Identifier: MIT */
#include "verbs/timeline/print.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "lib/print/page-style.h"
#include "report/timelines/report.h"
#include "verb.h"
#include "verbs/timeline/input.h"

int timeline_print(const char *path, bool boots, bool json, size_t rows)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	struct report_style style = page_style(rows);
	int r = timeline_input(path, boots, &timeline);

	if (r)
		return r;
	r = json ? report_timeline_json(stdout, &timeline) : report_timeline_text(stdout, &timeline, &style);
	return verb_flush_report(r);
}
