/* SPDX-License-Identifier: MIT */
/* Times, states and files of a timeline in words. */
#pragma once

#include "report/words.h"
#include "timeline/timeline.h"

/* Seconds, with two digits at least: "9.1", "0.62", "0.004". */
const char *report_timeline_time(uint64_t ns, char buffer[WORDS_MAX]);

/* "start", or "boot". */
const char *report_timeline_word(const struct timeline *timeline);

/* What a state means to somebody who waits for the start: "waiting for a lock". */
const char *report_timeline_state(enum timeline_state state);

/* The cause of the time when nothing of the start existed. */
#define REPORT_NOBODY "no process was there"

/* The same behind a time: "4.0 s without any process". */
#define REPORT_WITHOUT_ANYBODY "without any process"

/* The name of a file for people: its path, "/dev/sda (inodes and folders)", "a file without a name". The caller frees it. */
char *report_timeline_file(const struct timeline *timeline, uint32_t file);
