/* SPDX-License-Identifier: MIT */
/* What /proc says of a process, or of a thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Of /proc/PID/stat, or that of a thread. */
struct thread_status {
	char name[16];
	char state; /* R, S, D, … */
	int32_t parent;
};

/* Returns whether the text could be understood. */
bool thread_status_parse(const char *text, struct thread_status *ret);
bool thread_status_read(int32_t pid, int32_t tid, struct thread_status *ret);
