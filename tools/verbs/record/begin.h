/* SPDX-License-Identifier: MIT */
/* What must be known and ready before a command is recorded: what it is, who runs it, and who may mark its end. */
#pragma once

#include "verbs/record/job.h"

/* Chooses the best backend that works here. */
void record_choose_backend(struct record_job *job);

/* Chooses the user whom the command runs as, if none was named: the one who called sudo. Returns as below. */
int record_choose_user(struct record_job *job);

/* Finds the command of job->record.argv. Returns 0, or an exit status after printing the reason. */
int record_find_command(struct record_job *job);

/* Begins to look for the window, if that is the milestone, and to listen for marks. Returns as above. */
int record_begin(struct record_job *job);

void record_job_release(struct record_job *job);

static inline void record_job_releasep(struct record_job *job)
{
	record_job_release(job);
}
