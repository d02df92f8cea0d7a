/* SPDX-License-Identifier: MIT */
/*
 * A file of what the daemon knows. Some time after that has changed a child writes it: the disk may be slow, and programs go on
 * starting.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "learn/records.h"

struct saver {
	char *path; /* owned: of the file; only root can read it */
	const struct records_format *format;
	void *content;     /* borrowed */
	bool *changed;     /* borrowed: whether the content has changed; becomes false when it is written */
	uint64_t delay_ms; /* it is written so much later */
	uint64_t due_ms;   /* when it is to be written; UINT64_MAX: nothing has changed */
	pid_t child;       /* it writes; 0: none */
};

#define SAVER_INIT                                                                                           \
	{                                                                                                    \
		.due_ms = UINT64_MAX                                                                         \
	}

/*
 * Reads the content, which is empty. Without a file it stays so; one that is too large counts as damaged. Returns 0, or negative errno
 * if the file cannot be read now: then it must not be replaced.
 */
int saver_read(struct saver *saver, enum records_fault *ret);

/* The content may have changed. */
void saver_note(struct saver *saver);

/* It is to be written at once. */
void saver_hurry(struct saver *saver);

/* When saver_work() has something to do; milliseconds, CLOCK_MONOTONIC; UINT64_MAX: never. */
uint64_t saver_next_ms(const struct saver *saver);
void saver_work(struct saver *saver);

/* Whether the child, which has ended with that status (wait(2)), was ours. After a failure it is tried again. */
bool saver_child_ended(struct saver *saver, pid_t pid, int status);

/* Writes what has changed, if it `may_write`. */
void saver_release(struct saver *saver, bool may_write);
