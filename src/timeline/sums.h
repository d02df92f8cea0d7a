/* SPDX-License-Identifier: MIT */
/* Sums of a timeline, for reports: where the time of the start went, by file, by process, and by what was waited for. */
#pragma once

#include "timeline/causes.h"

/* What was read of a file, or of what has no file's name. */
struct sum_file {
	uint32_t file; /* TIMELINE_NONE: it is not known which */
	uint64_t
		waited; /* nanoseconds of the start that its reads caused; all files together have causes.states[TIMELINE_READ] */
	uint64_t bytes;
	size_t reads, seeks;
};

struct sum_process {
	int32_t pid;
	uint32_t thread;               /* its first one */
	const char *program;           /* borrowed; what it executed last, or its name */
	struct timeline_causes causes; /* of the time from its begin to its end; without by_span */
};

/* A thread waited for something that is no read, perhaps several times. */
struct sum_wait {
	uint32_t thread;
	enum timeline_state state;
	uint32_t note; /* TIMELINE_NONE without */
	bool timed_out;
	uint64_t waited; /* nanoseconds of the start */
	size_t times;
};

/* A unit of a boot. */
struct sum_unit {
	uint32_t thread;
	uint64_t waited; /* nanoseconds that it waited for reads, whatever other units did meanwhile */
	uint64_t bytes;  /* that it read */
	size_t reads, seeks;
	size_t files;         /* that it read or waited for */
	uint32_t file;        /* that it waited for longest; TIMELINE_NONE: none, or not known which */
	uint64_t file_waited; /* nanoseconds */
};

struct sums {
	struct timeline_causes causes;
	uint64_t seek_time; /* of causes.states[TIMELINE_READ], in reads that did not follow the one before */
	size_t awaited;     /* reads that somebody waited for while nobody computed */
	size_t n_seeks;     /* of all reads */
	uint64_t bytes;     /* read */
	/* By enum timeline_prefetch: what headstart read for the start; of TIMELINE_NO_PREFETCH 0. */
	size_t prefetched[TIMELINE_PREFETCHES];
	uint64_t prefetched_bytes[TIMELINE_PREFETCHES];
	size_t prefetches;      /* all of them */
	struct sum_file *files; /* owned; most waited first */
	size_t n_files;
	struct sum_process *processes; /* owned; those that lived longest first */
	size_t n_processes;
	const char **programs;  /* owned, the names borrowed; for each thread, the program of its process */
	struct sum_unit *units; /* owned; of a boot, those that waited longest for reads first */
	size_t n_units;
	struct sum_wait *waits; /* owned; longest first */
	size_t n_waits;
};

/* The timeline is good, and outlives the sums. The caller releases *ret. Returns 0 or -ENOMEM. */
int sums_make(const struct timeline *timeline, struct sums *ret);
void sums_release(struct sums *sums);

static inline void sums_releasep(struct sums *sums)
{
	sums_release(sums);
}
