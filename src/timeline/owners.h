/* SPDX-License-Identifier: MIT */
/*
 * Which processes of a start are headstart's own, and when: those whose last executed program is one of headstart's. A
 * process that has executed nothing is what its parent was. Internal to src/timeline.
 */
#pragma once

#include "timeline/timeline.h"

/* An exec. */
struct owners_turn {
	uint64_t time;
	uint32_t process;
	bool own; /* the program is headstart's */
};

struct owners {
	uint32_t *processes; /* owned; for each thread, the first thread of its process */
	bool *born_own; /* owned; for each thread that is the first of a process, what that was before it executed anything */
	size_t *turns_at;          /* owned; the first turn of each thread, and the number of all */
	struct owners_turn *turns; /* owned; ascending by process, then by time */
	size_t n_turns;
};

/* Threads and execs are known. *owners, all zero, is the caller's to release, also after a failure. Returns 0 or -ENOMEM. */
int owners_init(struct owners *owners, const struct timeline *timeline);
void owners_release(struct owners *owners);

/* Whether the process of the thread was headstart's at this time. */
bool owners_have(const struct owners *owners, uint32_t thread, uint64_t time);

/* The prefetcher waits for its reads in io_uring_enter(2), as other programs wait for any events. */
void owners_name_waits(const struct owners *owners, struct timeline *timeline);
