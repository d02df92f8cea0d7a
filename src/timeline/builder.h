/* SPDX-License-Identifier: MIT */
/* A timeline that is being built: build.c goes through the moments, finish.c puts in order what came of them. Internal to src/timeline. */
#pragma once

#include "base/inode-map.h"
#include "timeline/build.h"
#include "timeline/prefetched.h"
#include "timeline/reads.h"
#include "timeline/waits.h"

/* Pages that were put into the page cache one after the other, and that no disk was asked for yet. */
struct run {
	uint32_t file, page, pages;
	uint64_t time;
	bool served; /* no block device of the file's own has it, so perhaps a server or a FUSE program */
};

/* What is known of a thread while the moments go by. */
struct worker {
	enum timeline_state state;
	uint64_t since;
	bool ended;
	bool narrow; /* it runs a 32-bit program */
	struct wait wait;
	uint32_t file,
		page; /* touched last, since the call began, or without calls since the last read; TIMELINE_NONE */
	size_t wait_at;   /* the span + 1 of its last wait in this call for an unknown file; 0: none */
	struct run *runs; /* owned */
	size_t n_runs, runs_capacity;
	size_t open_from,
		open_to; /* reads that end when the thread is woken: no disk of this machine does them */
};

/* A span, and the page that it waits for. */
struct draft_span {
	struct timeline_span span;
	uint32_t page;
};

struct builder {
	struct timeline_events *events;
	struct timeline *into;
	struct worker *workers; /* owned; one for each thread */
	size_t workers_capacity;
	uint32_t *by_tid; /* owned; index of the thread + 1; 0 without one */
	struct inode_map files;
	struct requests requests;
	struct accesses accesses;
	struct draft_span *spans; /* owned */
	size_t n_spans, spans_capacity;
};

/* Nanoseconds since the start began, and not beyond its end. */
static inline uint64_t since_start(const struct builder *builder, uint64_t time)
{
	const struct timeline_events *events = builder->events;

	if (time <= events->began)
		return 0;
	return time >= events->ended ? builder->into->duration : time - events->began;
}

static inline uint32_t thread_of(const struct builder *builder, int32_t tid)
{
	return tid > 0 && (uint32_t)tid < MOMENT_TID_MAX && builder->by_tid[tid] ? builder->by_tid[tid] - 1
										 : TIMELINE_NONE;
}

static inline bool is_wait(enum timeline_state state)
{
	return state != TIMELINE_RUNNING && state != TIMELINE_RUNNABLE;
}

/* Puts everything in order, and finds out which read each wait was for. Each thread has ended what it did. Returns 0 or -ENOMEM. */
int builder_finish(struct builder *builder);
