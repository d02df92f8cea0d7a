/* SPDX-License-Identifier: MIT */
/* What a stopped system call says of the files and pages that it is about to touch. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "record/follow/pages/touched.h"
#include "record/follow/process.h"

struct follow_notes {
	char *tracer; /* owned; the first program that wanted to trace another, which it may not meanwhile; or NULL */
	char *privileged; /* owned; the first set-user-ID program that ran without its privileges; or NULL */
	char *missing;    /* owned; a file whose functions were to be recorded, but that nothing mapped */
	char *unknown;    /* owned; the first file of which no functions are known */
	size_t n_unknown; /* such files */
	bool uring;       /* some program reads through io_uring, which is not seen */
};

/* A call as the thread `tid` of the process makes it. */
struct follow_stop {
	int32_t tid;
	struct follow_process *process;
	uint32_t call;     /* enum follow_call; other values mean nothing */
	bool narrow;       /* of a 32-bit program */
	bool unprivileged; /* set-user-ID programs gain nothing */
	const uint64_t *arguments;
};

/* Returns 0 or -ENOMEM. */
int follow_take_call(struct touched *touched, const struct follow_stop *stop, struct follow_notes *notes);
void follow_notes_release(struct follow_notes *notes);
