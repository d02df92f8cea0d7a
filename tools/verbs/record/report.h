/* SPDX-License-Identifier: MIT */
/* What `headstart record` says. */
#pragma once

#include "verbs/record/job.h"

/* job->record.progress, with the job as context. */
void record_report_progress(void *context, const struct record_progress *progress);

/* Says why nothing was recorded, and what to do about it: one sentence for each known way to fail. Returns the exit status. */
int record_report_failure(enum record_step step, int err, const struct record_job *job);

/* The same if trace events cannot be had (RECORD_STEP_TRACEFS), for a verb: "record", "trace" or "watch". */
int record_report_tracefs(int err, const char *verb);

/* Says which backend was chosen, and why not trace events. */
void record_report_backend(const struct record_job *job);

/* Says so if record_wait(), which returned `err`, had to leave something that it was to end. */
void record_report_left(const struct record_job *job, int err);

/* Says that the recording has ended, but not the command. */
void record_report_goes_on(const struct record_job *job, const struct record_result *result);

/* Says why the first window cannot be seen, by the error of window_watcher_start(). Returns the exit status. */
int record_report_no_window(int err, const struct record_job *job);

/* Prints the recording that is kept at `path`: for programs, as one JSON object. Returns an exit status. */
int record_report_json(const struct record_job *job, const struct record_result *result, const char *path);

/* The same for people: what was touched, what that is expected to save, and the command to type next. */
void record_report_text(const struct record_job *job, const struct record_result *result, const char *path);

/* Says how the command has ended, unless all went well. */
void record_report_status(const struct record_result *result, const char *name);
