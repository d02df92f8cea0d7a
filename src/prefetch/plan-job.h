/* SPDX-License-Identifier: MIT */
/*
 * A plan being carried out: what all engines share. An engine opens the files, asks for one read after the other, and
 * starts the reads in its own way. This module handles order, chunks, budgets, staleness and descriptors.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prefetch/disk-reads.h"
#include "prefetch/folder-level.h"
#include "prefetch/prefetch.h"
#include "prefetch/schedule.h"

/* How an engine works. docs/decisions/io-engines.md says where the defaults come from (bench/micro-engine). */
struct prefetch_tuning {
	uint32_t open_depth; /* opens under way at once */
	uint32_t read_depth; /* reads under way at once */
	uint32_t chunk;      /* bytes: the largest single read */
	bool opens_first;    /* read no data before every file is open */
};

enum plan_job_file_state {
	PLAN_JOB_FILE_UNTRIED = 0,
	PLAN_JOB_FILE_OPEN,    /* fd is valid */
	PLAN_JOB_FILE_CLOSED,  /* good, but nothing is left to read, or another file needed its descriptor */
	PLAN_JOB_FILE_DROPPED, /* stale, missing, refused, or without anything to read */
};

struct plan_job_file {
	enum plan_job_file_state state;
	enum prefetch_engine engine; /* the one this file needs; PREFETCH_AUTO: the job's own */
	int fd;
	uint64_t size;    /* bytes */
	uint32_t extents; /* that the first pass has not left behind yet */
};

struct plan_job {
	const struct plan_view *plan;
	const struct prefetch_options *options;
	struct prefetch_tuning tuning;
	struct prefetch_result result;
	struct plan_job_file *files; /* owned; plan->file_count of them */
	uint32_t *finished;          /* owned; files without extents that are left; n_finished of them */
	uint32_t n_finished;
	struct schedule schedule;
	struct folder_level level; /* folders that are open, and whose entries are not read yet */
	uint32_t tried;            /* files no longer PLAN_JOB_FILE_UNTRIED */
	uint32_t open_fds;         /* descriptors in PLAN_JOB_FILE_OPEN files */
	uint32_t open_fds_max;
	uint32_t close_next;            /* where to look for the next descriptor to close */
	uint64_t start_us, deadline_us; /* CLOCK_MONOTONIC; deadline 0: none */
	uint64_t budget;                /* bytes; valid with budget_known */
	bool budget_known;
	struct disk_reads reads_before; /* when the first data was asked for */
	char *scratch; /* owned; tuning.chunk bytes, the buffer of every read; never looked at */
};

/* The state of a pass over the extents. */
struct plan_job_cursor {
	uint32_t extent;  /* position in the schedule */
	uint64_t done;    /* bytes of that extent already handed out */
	uint64_t asked;   /* bytes handed out in all */
	uint64_t skipped; /* bytes left out for a budget */
};

struct plan_job_read {
	uint32_t file;
	int fd;
	uint64_t offset; /* bytes */
	uint32_t length; /* bytes; <= tuning.chunk */
};

enum plan_job_step {
	PLAN_JOB_READ,    /* *ret is the next read */
	PLAN_JOB_BLOCKED, /* the file of the next extent, *ret_file, has not been tried yet */
	PLAN_JOB_DONE,
};

int plan_job_init(struct plan_job *job, const struct plan_view *plan, const struct prefetch_options *options,
	const struct prefetch_tuning *tuning);
void plan_job_release(struct plan_job *job);

static inline void plan_job_releasep(struct plan_job *job)
{
	plan_job_release(job);
}

/* Takes so many bytes off the memory budget, if it has them. */
bool plan_job_reserve(struct plan_job *job, uint64_t bytes);

/* Whether the time budget is used up. From then on nothing new is submitted. */
bool plan_job_late(const struct plan_job *job);

/*
 * The next read of a pass. PLAN_JOB_READ may reopen a file and close another file's descriptor for it. So while
 * plan_job_short_of_fds(), a caller that queues reads must hand them to the kernel before it calls this.
 */
enum plan_job_step plan_job_next_read(
	struct plan_job *job, struct plan_job_cursor *cursor, struct plan_job_read *ret);

/*
 * Whether the files that the next read of the pass depends on are open. With tuning.opens_first these are all files of
 * its part of the schedule, the lead or everything; otherwise just its own file, which plan_job_next_read() takes care
 * of.
 */
bool plan_job_may_read(const struct plan_job *job, const struct plan_job_cursor *cursor);

bool plan_job_short_of_fds(const struct plan_job *job);

/*
 * Closes the files of which nothing is left to read, so that their file systems can be unmounted. Call it only when the kernel
 * has all reads that were handed out.
 */
void plan_job_close_finished(struct plan_job *job);

/*
 * Takes the outcome of opening a file: a descriptor (now the job's) or negative errno. Counts and checks it.
 */
void plan_job_opened(struct plan_job *job, uint32_t file, int fd_or_error);

/* Counts a file that could not be opened, or is not the planned one any more, by the negative errno that says so. */
void plan_job_count_failure(struct prefetch_result *result, int error);

/* Opens a file and waits for it. */
void plan_job_open(struct plan_job *job, uint32_t file);

/* The engines. They return 0, or negative errno if the engine does not work here; then nothing has been tried yet. */
int uring_run(struct plan_job *job);
int readahead_run(struct plan_job *job, enum prefetch_engine engine);

/* prefetch_run() with a different tuning, for the benchmark. NULL: the default for the plan's order. */
int prefetch_run_tuned(const struct plan_view *plan, const struct prefetch_options *options,
	const struct prefetch_tuning *tuning, struct prefetch_result *ret);
