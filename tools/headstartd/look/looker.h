/* SPDX-License-Identifier: MIT */
/*
 * A child of the daemon that reads in /proc what the daemon wants to know of other processes. Reading that waits while the process
 * executes a program, and a user can make this last for ever: execve(2) closes descriptors, and the server of a FUSE file system
 * need not answer. The daemon waits for the child a second at most; then it ends the child, and leaves the programs of that
 * user alone for a minute. Shorter waits, and looks that need much processor time, add up (learn/debts.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "headstartd/look/process.h"
#include "headstartd/look/subordinates.h"
#include "learn/debts.h"

struct looker_desk;

struct looker {
	pid_t child;              /* 0: none; the next question begins one */
	int socket;               /* owned: a byte each way for each question; -1: there was no child yet */
	struct looker_desk *desk; /* owned: question and answer, which the child has as well */
	uid_t user; /* whose process is looked at; of those in other namespaces a number that no user has */
	bool knows_user; /* that was found out before */
	struct debts debts;
	struct subordinates subordinates;
};

/* Milliseconds of waiting at once that are nobody's fault: processors are busy, too. */
#define LOOKER_CREDIT 200

/* A user may keep us waiting for a sixtieth of the time. */
#define LOOKER_INIT                                                                                          \
	{                                                                                                    \
		.socket = -1, .debts = {.price = 60, .credit_ms = LOOKER_CREDIT}, .subordinates = {          \
			.path = "/etc/subuid"                                                                \
		}                                                                                            \
	}

/*
 * As process_see() and process_bytes_read(). Also false if the process, or its user, keeps others waiting. What runs here as one of
 * the ids that users have besides their own (look/subordinates.h) is not seen.
 */
bool looker_see(struct looker *looker, struct process_seen *seen);
bool looker_bytes_read(struct looker *looker, int32_t pid, uint64_t *ret);

/* Whether the child, which has ended, was ours. */
bool looker_child_ended(struct looker *looker, pid_t pid);

void looker_release(struct looker *looker);
