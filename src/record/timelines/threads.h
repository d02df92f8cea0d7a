/* SPDX-License-Identifier: MIT */
/* The threads that are there before the watching begins, from /proc. */
#pragma once

#include "record/timelines/carry.h"

/*
 * Whether the process runs a 32-bit program, which its auxiliary vector shows: no file system is asked, because it might not answer.
 * false if it has ended.
 */
bool threads_are_narrow(int32_t pid);

/* Adds the threads of the process, and what they are doing. Returns 0, also if it has ended, or -ENOMEM. */
int threads_add(struct carry *carry, int32_t pid);

/* The same for the process and everything below it; 0: for all processes but kernel threads and this one. */
int threads_add_tree(struct carry *carry, int32_t top);

/* Ends the threads that are not there any more. */
void threads_end_missing(struct carry *carry);
