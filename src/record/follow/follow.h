/* SPDX-License-Identifier: MIT */
/*
 * Follows a command and everything that it starts by ptrace(2), without any privilege: page tables show what is mapped and
 * touched, system calls (filter.h) what is opened and read.
 *
 * The kernel lets only one thread do it: that which called follow_new(). The followed processes need it to their end. They
 * are killed if it dies before.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/events/trace.h"
#include "record/follow/calls.h"
#include "record/follow/objects.h"
#include "record/names/opens.h"

struct follow;

struct follow_options {
	pid_t command;                            /* a child of ours that has not executed the command yet */
	struct opens *opens;                      /* borrowed until follow_stop_recording() */
	struct record_trace *trace;               /* the same */
	bool make_cold;                           /* each file, before the start touches it */
	const struct functions_choice *functions; /* whose functions are recorded; borrowed; NULL: none */
	bool exact;        /* page tables, as far as that can be: pages/exact-faults.h */
	bool unprivileged; /* the command cannot gain rights: set-user-ID programs have no effect */
};

struct follow_summary {
	struct follow_notes notes;           /* the caller's to release */
	size_t processes_unseen;             /* we might not look into them */
	struct profile_functions *functions; /* the caller's to free; NULL: they were not recorded */
	size_t processes_unplanted; /* into which we might not write: their functions are missing, or some */
	bool serves;                /* some process has opened /dev/fuse; what such serve is left out */
	uint64_t pages_around;      /* touched_around() */
	size_t files_kept;          /* as in struct touched */
};

/* Whether a child of ours could be followed. Returns 0 or negative errno: -EPERM where the system forbids it. */
int follow_probe(void);

/* Attaches to the command. Returns 0 or negative errno: -EPERM where the system forbids it. */
int follow_new(const struct follow_options *options, struct follow **ret);

/*
 * Lets the processes run for so many milliseconds, or until they have all ended, and notes what they touch. Returns 0 or
 * negative errno.
 */
int follow_pump(struct follow *follow, unsigned milliseconds);

/* Whether the command has become its program. */
bool follow_has_begun(const struct follow *follow);

/* Looks once more at what every process has mapped. From now on nothing is noted. Returns 0 or negative errno. */
int follow_stop_recording(struct follow *follow, struct follow_summary *ret);

bool follow_command_ended(const struct follow *follow, int *ret_status);

/* Whether no process is left. */
bool follow_all_ended(const struct follow *follow);

/* Sends the signal to every process. */
void follow_signal(const struct follow *follow, int signal_number);

/*
 * Sends SIGTERM to every process, after five seconds SIGKILL, and waits for them to end. Returns whether none is left: after five more seconds
 * it gives up, as for what waits for a server that does not answer. The kernel ends that after us.
 */
bool follow_end(struct follow *follow);

/* Ends what has not ended yet. */
void follow_free(struct follow *follow);
