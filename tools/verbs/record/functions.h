/* SPDX-License-Identifier: MIT */
/* headstart record --functions: whose functions are recorded, and what is said of them. */
#pragma once

#include "verbs/record/job.h"

/* Takes one --functions; `object` is NULL for all objects. Returns 0, or an exit status after printing the reason. */
int record_functions_add(struct record_job *job, const char *object);

/* Settles what --functions demands of other options. Returns as above. */
int record_functions_check(struct record_job *job);

void record_functions_report(const struct record_result *result);

void record_functions_release(struct record_functions *functions);
