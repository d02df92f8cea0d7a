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

#include "headstartd/process.h"
#include "plan/store/store.h"

#define CARRY_RECENT 64

enum carry_outcome {
	CARRY_STARTED, /* the prefetcher */
	CARRY_WARM,    /* the pages are in memory */
	CARRY_LEFT,    /* a shim or a launcher has started a prefetcher */
	CARRY_OFF,     /* switched off, or denied */
	CARRY_FAILED,
	N_CARRY
};

struct carry {
	struct store store;
	char prefetcher[PATH_MAX];
	int results; /* owned: the helpers write to it, a byte each (enum carry_outcome) */
	int told;    /* owned: the end of it that the daemon reads; does not block */
	uint64_t counts[N_CARRY];
	unsigned running; /* helpers, and the prefetchers that they have become */
	struct {
		uint64_t hash, until_ms;
	} recent[CARRY_RECENT]; /* programs that a helper has looked at just now */
};

/* Returns 0 or negative errno: -EPERM as store_of_process(). */
int carry_init(struct carry *carry);
void carry_release(struct carry *carry);

/* A program was executed. Returns whether root has a plan for it, or for the script that it is. */
bool carry_exec(struct carry *carry, const struct process_seen *seen);

/* Counts what the helpers have told; call it when carry->told is readable. Returns whether it was anything. */
bool carry_take_results(struct carry *carry);
