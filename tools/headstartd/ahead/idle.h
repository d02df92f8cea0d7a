/* SPDX-License-Identifier: MIT */
/*
 * What the daemon does while the machine is quiet: it makes stale plans anew, and warms programs that are likely to be started next.
 * At which hours programs are started lies in STATE/learn/habits, for root alone to read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "headstartd/ahead/renew.h"
#include "headstartd/learn/saver.h"
#include "learn/calendar.h"
#include "learn/habits.h"
#include "learn/quiet.h"

struct carry;

struct idle {
	bool enabled;
	bool silent;               /* say nothing of what was done */
	const struct carry *carry; /* borrowed */
	struct quiet quiet;
	struct renew renew;
	struct habits habits;
	struct calendar calendar;
	struct saver saver; /* of habits */
	pid_t warming;      /* the child that warms programs; 0: none */
	int told;           /* owned: the end of a pipe by which it tells what it has warmed; -1: none */
	uint64_t n_done;    /* times that all was warmed that was likely */
	uint64_t n_warmed;  /* programs */
	uint64_t warmed_bytes;
	int64_t warmed; /* when the last ones were; seconds since the epoch; 0: never */
};

/* Call it when the folder of what is learnt is there. Returns 0 or negative errno. */
int idle_init(struct idle *idle, const struct carry *carry, bool enabled, bool silent);
void idle_release(struct idle *idle);

/* A program that has a plan was executed. */
void idle_started(struct idle *idle, const char *program);

/* A program starts cold and needs the disk, or the daemon is paused: nothing is warmed any more, until it is quiet again. */
void idle_yield(struct idle *idle);

/* Whether a child makes a plan anew. Nobody else may write plans meanwhile. */
static inline bool idle_renews(const struct idle *idle)
{
	return idle->renew.child != 0;
}

/* When idle_work() has something to do; milliseconds, CLOCK_MONOTONIC; UINT64_MAX: never. */
uint64_t idle_next_ms(const struct idle *idle);

/* `may_write`: nobody else writes plans. `off`: headstart is switched off or paused. */
void idle_work(struct idle *idle, bool may_write, bool off);

/* Whether the child, which has ended with that status (wait(2)), was ours. */
bool idle_child_ended(struct idle *idle, pid_t pid, int status);
