/* SPDX-License-Identifier: MIT */
/*
 * Learns starts: notes which turn out cold, traces the next start of such a program in a child process, and makes a
 * profile and a plan of it. What is known lies in STATE/learn, for root alone to read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "headstartd/process.h"
#include "learn/known.h"
#include "learn/starts.h"

struct tracer;

struct lessons {
	bool enabled;
	int tracefs;     /* borrowed */
	char *path;      /* owned: of the file of what is known */
	int lock;        /* owned: held while we run; -1: none */
	uint64_t budget; /* bytes of profiles and plans */
	struct known known;
	struct starts starts;
	struct tracer *tracer; /* owned: ready for the next start that is to be traced; NULL: there is none */
	char instance[64];     /* its name */
	pid_t tracing;         /* the child that traces; 0: none */
	char *traced;          /* owned: the program whose start it traces */
	int told;              /* owned: the end of a pipe by which it tells how much it has kept; -1: none */
	pid_t saving;          /* the child that writes what is known; 0: none */
	uint64_t save_ms;      /* when to write it; UINT64_MAX: nothing has changed */
	int64_t last_age;      /* when we looked last for what is to be forgotten; seconds since the epoch */
};

/*
 * Reads what is known. Returns 0; -EBUSY if another daemon has this state folder; or negative errno. If the file was
 * written by a newer headstart, nothing is learnt, and the file is left alone; the user is told.
 */
int lessons_init(struct lessons *lessons, int tracefs, bool enabled, uint64_t budget);

/* Writes what is known, and ends a trace. */
void lessons_release(struct lessons *lessons);

/* A program was executed; `planned`: root has a plan for it. */
void lessons_exec(struct lessons *lessons, const struct process_seen *seen, bool planned);

/* When lessons_work() has something to do; milliseconds, CLOCK_MONOTONIC; UINT64_MAX: never. */
uint64_t lessons_next_ms(const struct lessons *lessons);
void lessons_work(struct lessons *lessons);

/* Whether the child, which has ended, was ours. */
bool lessons_child_ended(struct lessons *lessons, pid_t pid);
