/* SPDX-License-Identifier: MIT */
/* Makes a timeline of what the kernel reported of a start, without any system call. */
#pragma once

#include "timeline/moment.h"
#include "timeline/timeline.h"

/* A request that a disk has served, for whomever. */
struct timeline_request {
	uint64_t issued, done; /* nanoseconds, CLOCK_MONOTONIC */
	uint64_t offset;       /* bytes on the disk */
	uint64_t bytes;
	uint32_t disk; /* major << 20 | minor */
};

/* A thread executed a program, or was seen to wait for something. */
struct timeline_remark {
	uint64_t time; /* nanoseconds, CLOCK_MONOTONIC */
	int32_t tid;
	const char *text; /* borrowed; the path, or what it waited for */
};

/* Which file an event is about. */
struct timeline_named {
	enum timeline_file_kind kind;
	const char *path; /* borrowed until the next call */
	uint64_t pages;
};

struct timeline_events {
	struct timeline_moment *moments; /* borrowed, and sorted by time here */
	size_t n_moments;
	struct timeline_request *requests; /* borrowed, and sorted here */
	size_t n_requests;
	const struct timeline_remark *execs, *waits; /* borrowed, in any order */
	size_t n_execs, n_waits;
	uint64_t began, ended; /* nanoseconds, CLOCK_MONOTONIC */
	int32_t first;         /* number of the first thread */
	uint32_t page_size;
	/*
	 * There are no system calls among the moments, so it is not known where the wait for a page ends and something else begins: a wait that no
	 * signal can interrupt is for the read that ends with it, and for something else if there is none.
	 */
	bool no_calls;
	void (*name)(void *context, uint32_t device, uint64_t inode, struct timeline_named *ret);
	void *context;
};

/*
 * Fills in duration, page_size, and all lists but the milestones. *into is the caller's to release, also after a
 * failure. Returns 0 or -ENOMEM.
 */
int timeline_build(struct timeline_events *events, struct timeline *into);

/*
 * When the last thread of the start ended, without headstart's own processes: these may work on after it, on the plan. It is
 * the whole duration if there are no others. Returns 0 or -ENOMEM.
 */
int timeline_find_end(const struct timeline *timeline, uint64_t *ret);
