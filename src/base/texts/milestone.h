/* SPDX-License-Identifier: MIT */
/* What ends a start, as people write it after --until. */
#pragma once

#include <stdbool.h>

enum milestone_kind {
	MILESTONE_EXIT,   /* "exit": the command and all that it started have ended */
	MILESTONE_MARK,   /* "mark": `headstart mark` */
	MILESTONE_WINDOW, /* "window": its first window is on the screen */
	MILESTONE_IDLE,   /* "idle:SECONDS": it has had nothing to do for this long */
	MILESTONE_TIME,   /* "time:SECONDS": this long after the start */
};

struct milestone {
	enum milestone_kind kind;
	double seconds; /* of idle and time */
};

/* Returns false, and leaves *ret as it is, if the text is none of the above. */
bool milestone_parse(const char *text, struct milestone *ret);

/* A number of seconds, above 0 and below 10 million. */
bool milestone_parse_seconds(const char *text, double *ret);
