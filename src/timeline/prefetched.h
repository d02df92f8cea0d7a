/* SPDX-License-Identifier: MIT */
/* Finds out of each read that headstart made for the start whether it came in time. Internal to src/timeline. */
#pragma once

#include "timeline/owners.h"

/* A thread touched pages of a file, or the kernel mapped those of them that were in memory around a touched one. */
struct access {
	uint64_t time;
	uint32_t thread;
	uint32_t file;
	uint32_t first, last; /* pages, inclusive */
};

struct accesses {
	struct access *items; /* owned; ascending by time */
	size_t n, capacity;
	bool *wanted; /* owned; for each file, whether accesses to it are kept */
	size_t n_wanted, wanted_capacity;
	bool touches; /* the kernel reports touches at all (since Linux 6.12) */
};

void accesses_release(struct accesses *accesses);

/* Whether a thread that asks for a read in this system call goes on without its bytes, as the prefetcher does. */
bool prefetched_call(int64_t call);

/* From now on accesses to this file are kept. Returns 0 or -ENOMEM. */
int accesses_want(struct accesses *accesses, uint32_t file);

/* Keeps the access if its file is wanted. Returns 0 or -ENOMEM. */
int accesses_add(struct accesses *accesses, const struct access *access);

/*
 * Sets `prefetch` of the reads that have TIMELINE_UNJUDGED: those that a process of headstart's asked for are judged, and the
 * others are the start's own. The reads that waits were for are known. Returns 0 or -ENOMEM.
 */
int prefetched_judge(struct timeline *timeline, const struct owners *owners, const struct accesses *accesses);
