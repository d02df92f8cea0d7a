/* SPDX-License-Identifier: MIT */
/*
 * Learns starts: notes which turn out cold, traces the next start of such a program in a child process (tracing.h), and makes a
 * profile and a plan of it. What is known lies in STATE/learn, for root alone to read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "headstartd/learn/saver.h"
#include "headstartd/learn/tracing.h"
#include "headstartd/look/process.h"
#include "learn/calendar.h"
#include "learn/known.h"
#include "learn/refinements.h"
#include "learn/starts.h"

struct carry;
struct carry_told;
struct looker;

struct lessons {
	bool enabled;
	bool quiet;            /* say nothing of single starts */
	int lock;              /* owned: held while we run; -1: none */
	uint64_t budget;       /* bytes of profiles and plans */
	struct looker *looker; /* borrowed: to be set before anything is executed */
	struct known known;
	struct starts starts;
	struct tracing tracing;
	uint64_t prepare_ms; /* before that, no tracer is made */
	struct refinements refinements;
	bool others_write;     /* somebody else writes plans: nothing is traced */
	pid_t forgetting;      /* the child that removes what is forgotten; 0: none */
	int forgotten;         /* owned: the end of a pipe by which it tells what it has removed; -1: none */
	uint64_t forget_by_ms; /* when it should have ended */
	struct saver saver;    /* of what is known */
	struct calendar calendar;
	int64_t last_age; /* the date when we looked last for what is to be forgotten; 0: we had none to believe */
};

/*
 * Reads what is known. Borrows `carry` and `tracefs`. Returns 0; -EBUSY if another daemon has this state folder; or negative
 * errno. If the file was written by a newer headstart, nothing is learnt, and the file is left alone; the user is told.
 */
int lessons_init(
	struct lessons *lessons, const struct carry *carry, int tracefs, bool enabled, uint64_t budget);

/* Writes what is known, and ends a trace. */
void lessons_release(struct lessons *lessons);

/*
 * A program was executed; `planned`: root has a plan for it. Returns true if a child looks whether this is a start that is to be
 * learnt, and otherwise carries its plan out.
 */
bool lessons_exec(struct lessons *lessons, const struct process_seen *seen, bool planned);

/* Whether the program was noted before, or learnt. */
bool lessons_know(const struct lessons *lessons, const char *program);

/*
 * The program has a plan, and a helper looks whether that is to be carried out. A child watches the start, if that can make the
 * plan more exact.
 */
void lessons_planned(struct lessons *lessons, const struct process_seen *seen);

/* The plan of this program, an interpreter, serves a script that this user has started. */
void lessons_served(struct lessons *lessons, const char *program, uid_t user);

/* A helper has looked at a start that has a plan. */
void lessons_told(struct lessons *lessons, const struct carry_told *told);

/* When lessons_work() has something to do; milliseconds, CLOCK_MONOTONIC; UINT64_MAX: never. */
uint64_t lessons_next_ms(const struct lessons *lessons);
void lessons_work(struct lessons *lessons);

/* Whether a child traces a start or removes files, and so writes plans. */
static inline bool lessons_write(const struct lessons *lessons)
{
	return lessons->tracing.child || lessons->forgetting;
}

/* Whether the child, which has ended with that status (wait(2)), was ours. */
bool lessons_child_ended(struct lessons *lessons, pid_t pid, int status);
