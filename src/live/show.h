/* SPDX-License-Identifier: MIT */
/* Shows the model: as a page that fills a terminal, as lines of text, or as one JSON object a turn. */
#pragma once

#include <stdio.h>

#include "live/live.h"
#include "report/style.h"

struct show_style {
	struct report_style page;
	size_t lines;      /* that the page may have; 0: as many as it needs */
	const char *title; /* "soffice --calc" */
};

/* At most `lines` lines, none wider than the page. Everything that comes from the system is escaped. */
void show_page(FILE *out, const struct live *live, const struct show_style *style);

/* What was read in the last turn, a line for each file; nothing if nothing was. */
void show_lines(FILE *out, const struct live *live, const struct show_style *style);

/* The sum at the end, in one line. */
void show_sum(FILE *out, const struct live *live);

/* Returns 0 or -ENOMEM. */
int show_json(FILE *out, const struct live *live);

/* "read", "lock", "ended": the state of a process in one word, which is the same on the page and in JSON. */
const char *show_state(const struct live *live, const struct live_process *process);
