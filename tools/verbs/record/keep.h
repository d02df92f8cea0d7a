/* SPDX-License-Identifier: MIT */
/* What becomes of a recording: a profile, and plans of it. */
#pragma once

#include "verbs/record/job.h"

/*
 * Writes the recording to the file that the user named; or stores it, makes plans of it, and keeps what it showed of the
 * disks. Returns 0, or an exit status after printing the reason. *ret_path, malloc()ed, is the path of the profile.
 */
int record_keep(const struct record_job *job, struct record_result *result, char **ret_path);

/* job->record.inside, with the job as context. */
int record_keep_inside_take(void *context, struct profile *profile);
