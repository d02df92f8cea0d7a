/* SPDX-License-Identifier: MIT */
/*
 * Traces one start in a child process, which makes a profile and plans of it, or makes those that it has more exact, and then
 * tells what it has kept.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "headstartd/learn/keep.h"
#include "headstartd/learn/refine.h"
#include "headstartd/look/process.h"
#include "headstartd/users/own.h"
#include "learn/debts.h"
#include "learn/late.h"

struct carry;
struct known;
struct tracer;

/* What the child tells; of a start of a program that is learnt it first tells the key alone, in case that it does not get to the end. */
struct lesson {
	bool left;    /* it has carried out the plan instead */
	uint64_t key; /* of a start of a program that is learnt; 0: it was the program's first one */
	struct kept kept;
	struct refined refined;
	uid_t user; /* for whom a process was started (headstartd/users/own.h); 0: none was */
	enum own_outcome own;
};

struct tracing {
	const struct carry *carry; /* borrowed */
	const struct known *known; /* borrowed: the child looks there whether its start is wanted */
	int tracefs;               /* borrowed */
	uint64_t keep_most;        /* bytes of one start */
	struct tracer *tracer; /* owned: ready for the next start that is to be traced; NULL: there is none */
	char instance[64];     /* its name, which no other one had */
	unsigned made;         /* tracers */
	bool knows_keys;       /* it also sees pages that are in memory already */
	pid_t child;           /* 0: none, and then the next seven mean nothing */
	uint64_t began_ms;
	uint64_t give_up_ms; /* when it should have ended */
	char *program;       /* owned: whose start it traces */
	uint64_t exec;       /* with which it began: struct process_seen */
	uid_t user;          /* whose it is */
	bool refines;        /* the start has a plan, which is to become more exact */
	int told;            /* owned: the end of a pipe by which it tells what it has kept; -1: none */
	unsigned given_up;   /* children that have not ended */
	struct late late;    /* users whose processes have not */
	struct late hanging; /* users whose starts those children traced */
	struct debts debts;  /* what users have had of the time in which one start is traced */
};

/* A quarter of the time is any user's, and two minutes at first. */
#define TRACING_DEBTS                                                                                        \
	{                                                                                                    \
		.price = 4, .credit_ms = 120000                                                              \
	}

/*
 * Makes a tracer if one is `wanted`, or else takes it away, unless a child traces. Making one takes longer than the first reads of
 * a start, so this comes before. Returns 0 or negative errno.
 */
int tracing_prepare(struct tracing *tracing, bool wanted);

/*
 * Starts the child if there is a tracer, and nobody records. `planned`: the program has a plan, which the child carries out
 * unless this is a start that we want to know. `refines`: the plan is to become more exact. Returns whether it runs.
 */
bool tracing_begin(struct tracing *tracing, const struct process_seen *seen, bool planned, bool refines);

/* What the child has told last; zeros: nothing yet. Does not wait. */
void tracing_read(const struct tracing *tracing, struct lesson *ret);

/* What became of a process of that user's. */
void tracing_note_own(struct tracing *tracing, uid_t user, enum own_outcome own);

/* Forgets the child, and takes the tracer away. `lesson` is what it told. */
void tracing_done(struct tracing *tracing, const struct lesson *lesson);

/* Whether a start of this user may be traced: others' turn may come first. Root's always may. */
bool tracing_allows(const struct tracing *tracing, uid_t user);

/* The child should have ended: leaves it alone, and traces no more starts of this user, who may have arranged that. False if too many did not end, so that it had better be the last one. */
bool tracing_give_up(struct tracing *tracing);

/* Ends the child, and takes the tracer away. */
void tracing_release(struct tracing *tracing);
