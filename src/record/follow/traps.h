/* SPDX-License-Identifier: MIT */
/* The stops of a thread that there are only because functions are recorded (plant.h). */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "record/follow/filter.h"
#include "record/follow/plant.h"

/*
 * A call that matters to breakpoints is about to be carried out: FOLLOW_CODE or FOLLOW_HIDE, with these arguments. *request
 * is how the thread is to go on (ptrace(2)). Returns 0 or -ENOMEM.
 */
int trap_take_call(struct function_objects *objects, struct follow_process *process, enum follow_call call,
	const uint64_t *arguments, bool over, int *request);

/*
 * The thread has stopped by this signal, which may be none but a breakpoint or the end of such a call: then *signal_number
 * becomes 0. `over`: nothing is noted or planted any more. Returns 0 or -ENOMEM.
 */
int trap_take_signal(struct function_objects *objects, struct follow_process *process, pid_t tid, bool over,
	int *signal_number, int *request);
