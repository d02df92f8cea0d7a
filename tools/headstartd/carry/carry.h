/* SPDX-License-Identifier: MIT */
/*
 * Carries out root's plans when their programs are executed. Only what costs a few microseconds is done in the daemon
 * itself. The rest, which may wait for a disk or for the memory of the program, is done by a helper, a child process
 * that becomes the prefetcher.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "headstartd/look/process.h"
#include "plan/store/store.h"

#define CARRY_RECENT  64
#define CARRY_HELPERS 64

enum carry_outcome {
	CARRY_STARTED, /* the prefetcher */
	CARRY_WARM,    /* the pages are in memory */
	CARRY_LEFT,    /* a shim or a launcher has started a prefetcher */
	CARRY_OFF,     /* switched off, or denied */
	CARRY_FAILED,
	N_CARRY
};

/* What a helper tells the daemon. */
struct carry_told {
	enum carry_outcome outcome;
	uint64_t exec; /* as struct process_seen has it; 0: it is about no exec */
	uint64_t
		key; /* of the start, if the program's plan leads to others; 0: none, or none that is learnt */
	uint64_t own_plan; /* whether there is a plan for this key */
	uid_t user;        /* for whom a process was started (headstartd/users/own.h); 0: none was */
	uint32_t own;      /* enum own_outcome: what became of it */
};

/* A child of the daemon that looks at a start, and may have become the prefetcher. */
struct carry_helper {
	pid_t pid; /* 0: none */
	uid_t user;
	int32_t start; /* the start's process */
	uint64_t exec; /* and its exec */
	char *program; /* owned: its program; NULL: out of memory, or it is no helper for root's plan */
	char *executed; /* owned: as passed to execve(2); NULL: in another mount namespace, where no plan of a user's counts */
};

struct carry {
	struct store store;
	char prefetcher[PATH_MAX];
	bool quiet;  /* say nothing of single starts */
	int results; /* owned: the helpers write to it, a struct carry_told each */
	int told;    /* owned: the end of it that the daemon reads; does not block */
	uint64_t counts[N_CARRY];
	pid_t daemon; /* us */
	struct carry_helper helpers[CARRY_HELPERS];
	struct carry_recent {
		uint64_t hash;     /* of program and user */
		uint64_t until_ms; /* CLOCK_MONOTONIC */
	} recent[CARRY_RECENT];    /* what a helper has looked at just now */
};

/* Returns 0 or negative errno: -EPERM as store_of_process(). */
int carry_init(struct carry *carry);
void carry_release(struct carry *carry);

/* Whether root has a plan for what was executed. */
bool carry_has_plan(const struct carry *carry, const struct process_seen *seen);

/*
 * A program was executed. If it has no plan (`planned`), but is a script, its interpreter may have one. Returns the one of the two whose plan
 * counts, as *seen has it; NULL: neither has one.
 */
const char *carry_exec(struct carry *carry, const struct process_seen *seen, bool planned);

/*
 * For a child of the daemon. The key of the start, which has the program's plan, and whether there is a plan for it.
 * May wait for a disk, or for the memory of the program.
 */
void carry_find_key(const struct carry *carry, const struct process_seen *seen, struct carry_told *ret);

/* For a child of the daemon: looks at the start, and becomes the prefetcher if its plan is cold. */
_Noreturn void carry_help(const struct carry *carry, const struct process_seen *seen, const char *program);

/* For a child of the daemon: tells it. */
void carry_tell(int results, const struct carry_told *told);

/* A free place for a helper of that user; NULL: there are too many. */
struct carry_helper *carry_find_place(struct carry *carry, uid_t user);

/* The helper that looks at the start with this exec, or has become its prefetcher; NULL: there is none. */
const struct carry_helper *carry_helper_of(const struct carry *carry, uint64_t exec);

/* A child has ended, which may be a helper. */
void carry_child_ended(struct carry *carry, pid_t pid);

/* Takes what a helper has told, and counts it; call it when carry->told is readable. Returns false: there is no more. */
bool carry_take(struct carry *carry, struct carry_told *ret);
