/* SPDX-License-Identifier: MIT */
/* Carries out a plan: opens its files and reads its extents in the plan's order, and waits for nothing twice. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/plan-view.h"

/* Ways to start readahead, best first. Each works in some cases where the one before it does not. */
enum prefetch_engine {
	PREFETCH_AUTO = 0,
	PREFETCH_URING,   /* io_uring: batched OPENAT2, then READ */
	PREFETCH_NOWAIT,  /* preadv2(RWF_NOWAIT) starts the readahead, nothing is copied */
	PREFETCH_FADVISE, /* posix_fadvise(WILLNEED) in chunks the kernel does not truncate */
	PREFETCH_READ,    /* plain pread, where the others have no effect */
};

struct prefetch_options {
	enum prefetch_engine engine;
	uint32_t time_budget_ms; /* stop submitting after this; 0: no limit */
	uint64_t memory_budget;  /* bytes; 0: from MemAvailable, the cgroup's limit and PSI */
	uint64_t memory_limit;   /* bytes: an upper limit, however much memory there is; 0: none */
	uid_t plan_owner;        /* owner of the plan's file */
	bool idle;               /* idle I/O class: no user is waiting for this */
	bool verify;             /* measure residency before and after */
	bool alongside;          /* the program runs meanwhile: read first what it needs first */
	bool wait;               /* return only when everything read has arrived */
};

struct prefetch_result {
	enum prefetch_engine engine;              /* the one that was used */
	uint32_t opened, stale, missing, refused; /* files: opened; changed; gone; unreadable (EACCES …) */
	/* Of the stale and missing ones, those that make the plan outdated (prefetch/outdated.h). */
	uint32_t outdated;
	uint64_t bytes_asked;
	/*
	 * Of these, those that came from a disk. The others were in memory already: from before, or because the program
	 * that runs meanwhile was faster.
	 */
	uint64_t bytes_read;
	bool read_known;                                      /* else the one above is void */
	uint64_t bytes_swept;                                 /* of metadata, asked for besides */
	uint64_t bytes_skipped_budget;                        /* left out by the memory or time budget */
	uint64_t bytes_resident_before, bytes_resident_after; /* of those planned; only with verify */
	bool verify_blind; /* residency is unknown (another user's files): the two above are void */
	uint64_t elapsed_us;
	uint64_t opened_us; /* until all files were open; part of elapsed_us */
};

const char *prefetch_engine_name(enum prefetch_engine engine);

/* Returns 0, or negative errno if not even a first file could be tried. Failed files are only counted. */
int prefetch_run(
	const struct plan_view *plan, const struct prefetch_options *options, struct prefetch_result *ret);

/*
 * What prefetch_run() would do, without reading data: looks at each file, which may read its folders and its inode. Fills in
 * opened, stale, missing and refused; bytes_asked with what would be asked for if no budget ended it; and
 * bytes_resident_before with verify_blind. Returns 0 or negative errno.
 */
int prefetch_examine(const struct plan_view *plan, struct prefetch_result *ret);

/*
 * Whether the start is warm: every probe of the plan is resident (residency_of_page()). Asks only about files that open
 * from the dentry cache alone. In doubt (another user's files on FUSE, old kernels) the answer is warm, so that nothing
 * is done. Never blocks on the disk.
 */
bool prefetch_is_warm(const void *plan_head);
