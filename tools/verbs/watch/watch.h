/* SPDX-License-Identifier: MIT */
/* headstart watch: what its files share. */
#pragma once

#include "live/look.h"
#include "live/show.h"
#include "live/window.h"
#include "record/record.h"
#include "verbs/watch/written.h"

/* Where and how what is seen is shown. */
struct watch_output {
	FILE *out; /* owned; standard output as it was */
	int fd;    /* of it */
	bool json, screen;
	double interval; /* seconds */
	struct show_style style;
};

struct watching {
	struct watch_output output;
	struct written written; /* of the command */
	struct live live;
	struct window window; /* by the kernel's events */
	struct look look;     /* otherwise */
	int32_t top;          /* the process; 0: the whole machine, or the command */
	double timeout;       /* seconds; 0: none */
	uint64_t shown;       /* nanoseconds: when it was shown last */
	bool by_command;
	bool unread; /* whoever has read the output has gone */
	int error;   /* negative errno */
};

/* record_watcher: takes what was gathered, and shows it from time to time. The context is a struct watching. */
int watching_take(void *context, const struct record_seen *seen);

/* Shows the last of it, and gives the terminal back. */
void watching_end(struct watching *watching);
void watching_release(struct watching *watching);

/* Signals that end the watching; once by_command, the command gets SIGINT, too, and only the second one counts. */
void watching_catch_signals(bool by_command);
bool watching_interrupted(void);
