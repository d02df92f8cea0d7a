/* SPDX-License-Identifier: MIT */
/* What running programs do now, and what they have done since the watching began. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/inode-map.h"
#include "base/string-index.h"
#include "timeline/timeline.h"

struct live_process {
	int32_t pid, parent; /* the parent's pid; 0 if it is not known */
	char name[16];
	bool ended;
	enum timeline_state state; /* now; that of its first thread, unless another one runs or reads */
	uint64_t states[TIMELINE_STATES]; /* nanoseconds, of all its threads together */
	uint64_t bytes;        /* read from disks; live.exact: by its reads, else as the kernel counts them */
	uint64_t bytes_before; /* that it had read when we came; only unless live.exact */
	uint64_t seen;         /* the turn in which it was met last */
	unsigned depth;        /* in the tree; set by live_sort() */
};

struct live_file {
	char *path;                       /* owned; comes first: by_path */
	bool metadata;                    /* the file system's own data; the path is that of its disk */
	uint64_t bytes, recent;           /* read, in all and in the last turn; without live.exact: touched */
	uint64_t waited, recently_waited; /* nanoseconds, of all threads together */
	size_t reads;                     /* only if live.exact */
	int32_t pid;                      /* who read it last */
};

struct live {
	bool exact;             /* by events of the kernel */
	bool lost;              /* some of which are missing */
	uint64_t began;         /* nanoseconds, CLOCK_MONOTONIC */
	uint64_t now;           /* the same; up to which everything is known */
	uint64_t turns;         /* how often something was added */
	uint64_t bytes, recent; /* in all and in the last turn, as those of files */
	uint64_t waited, recently_waited;
	size_t reads, recent_reads;
	struct live_process *processes; /* owned */
	size_t n_processes, processes_capacity;
	struct inode_map by_pid; /* how live_process() finds those that have not ended; pids, as inodes */
	size_t indexed;          /* processes that it knows */
	struct live_file *files; /* owned */
	size_t n_files, files_capacity;
	struct string_index by_path; /* how live_file() finds them */
	const char
		*reading; /* the path of the file that somebody waits for now; NULL: nobody, or not known */
	int32_t reader;
};

/* Begins a turn, in which everything up to `now` becomes known. */
void live_turn(struct live *live, uint64_t now);

/* The process, which is added if it is new. Valid until the next call. NULL without memory. */
struct live_process *live_process(struct live *live, int32_t pid, int32_t parent);

/* The file of this path, which is added if it is new. Valid until the next call. NULL without memory. */
struct live_file *live_file(struct live *live, const char *path, bool metadata);

/* Something was read or touched in this turn. */
void live_add_bytes(struct live *live, struct live_file *file, uint64_t bytes, int32_t pid);
void live_add_wait(struct live *live, struct live_file *file, uint64_t nanoseconds);

/*
 * Puts processes in the order of their tree, and files in that of what was read of them in this turn, then in all. Forgets
 * what has ended or was read long ago if there is too much of it.
 */
void live_sort(struct live *live);
void live_release(struct live *live);
