/* SPDX-License-Identifier: MIT */
/* How a recording sees what the command touches. record.c calls these in their order. Internal to src/record. */
#pragma once

#include "record/session.h"

struct backend {
	enum profile_backend name;
	bool looks; /* at page tables, and notes openings by itself: there are no events of the kernel's. record.c reads the mounts */
	/* Prepares what the backend needs besides; the command does not exist yet. NULL: nothing. */
	int (*set_up)(struct session *session, enum record_step *step);
	/* A descriptor, the caller's, that the command writes to before it is at its gate. NULL: it need not. */
	int (*marker)(struct session *session);
	/* The command is at its gate: begins to watch it, and makes cold what is to be cold. */
	int (*begin)(struct session *session, enum record_step *step);
	/* Opens the gate. Returns 0 once the command is the program, or negative errno if it could not be. */
	int (*go)(struct session *session);
	/* Waits so long, or until something happens. Adds what was touched to the trace; sees who has ended. */
	int (*gather)(struct session *session, int milliseconds);
	/* Notes the rest and restores everything. */
	int (*stop)(struct session *session, enum record_step *step);
	/* Leaves to the result what is needed as long as the command runs; sets result->running. */
	void (*hand_over)(struct session *session, struct record_result *result);
	void (*release)(struct session *session);
};

extern const struct backend backend_events;  /* by-events.c */
extern const struct backend backend_ptrace;  /* by-ptrace.c */
extern const struct backend backend_pagemap; /* by-pagemap.c */
