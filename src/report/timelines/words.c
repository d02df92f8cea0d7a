/* SPDX-License-Identifier: MIT */
#include "report/timelines/words.h"

#include <stdio.h>
#include <string.h>

/* What each state means to somebody who waits for the start. */
static const char *const meanings[TIMELINE_STATES] = {
	[TIMELINE_RUNNING] = "computing",
	[TIMELINE_RUNNABLE] = "waiting for a processor",
	[TIMELINE_READ] = "waiting for reads",
	[TIMELINE_WRITE] = "waiting for writes",
	[TIMELINE_LOCK] = "waiting for a lock",
	[TIMELINE_CHILD] = "waiting for a process that it started",
	[TIMELINE_TIMER] = "sleeping",
	[TIMELINE_MESSAGE] = "waiting for a message from a socket",
	[TIMELINE_PIPE] = "waiting for a pipe, a socket or a terminal",
	[TIMELINE_EVENTS] = "waiting for events (poll, select, epoll)",
	[TIMELINE_OTHER] = "waiting for something else",
};

const char *report_timeline_state(enum timeline_state state)
{
	return meanings[state];
}

const char *report_timeline_word(const struct timeline *timeline)
{
	return timeline_is_boot(timeline) ? "boot" : "start";
}

const char *report_timeline_time(uint64_t ns, char buffer[WORDS_MAX])
{
	double value = (double)ns / 1e9;

	snprintf(buffer, WORDS_MAX, "%.*f", value >= 0.95 ? 1 : value >= 0.095 ? 2 : 3, value);
	return buffer;
}

char *report_timeline_file(const struct timeline *timeline, uint32_t file)
{
	const struct timeline_file *known = file < timeline->n_files ? &timeline->files[file] : NULL;
	char *text;

	if (known && known->kind == TIMELINE_REGULAR)
		return strdup(known->path);
	if (known && known->kind == TIMELINE_METADATA)
		return asprintf(&text, "%s (inodes and folders)", known->path) < 0 ? NULL : text;
	return strdup(known ? "a file without a name" : "inodes, folders and the like");
}
