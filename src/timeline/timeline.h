/* SPDX-License-Identifier: MIT */
/*
 * What a start did over time: its threads, what each was doing at any moment, what was read, and the milestones.
 *
 * All times are nanoseconds since the start began. All lists are ascending by their first time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_NONE  UINT32_MAX /* no index */
#define TIMELINE_NEVER UINT64_MAX /* no time */

enum timeline_state {
	TIMELINE_RUNNING,  /* on a processor */
	TIMELINE_RUNNABLE, /* wants a processor, and others have them */
	TIMELINE_READ,     /* waits for data of a file, or for the file system's own data, to be read */
	TIMELINE_WRITE,    /* waits for data to be written: fsync, a full queue */
	TIMELINE_LOCK,     /* futex, flock: for another thread */
	TIMELINE_CHILD,    /* wait, vfork: for another process */
	TIMELINE_TIMER,    /* sleep: for time to pass */
	TIMELINE_MESSAGE,  /* recv, connect, accept: for an answer over a socket */
	TIMELINE_PIPE,     /* read of what is no file on a disk: a pipe, a socket, a terminal */
	TIMELINE_EVENTS,   /* poll, select, epoll: for any of several things */
	TIMELINE_OTHER,    /* anything else */
	TIMELINE_STATES,
};

/* What ended a wait. */
enum timeline_waker {
	TIMELINE_WAKER_UNKNOWN,
	TIMELINE_WAKER_THREAD,  /* a thread of the start: timeline_span.waker */
	TIMELINE_WAKER_OUTSIDE, /* another process of the machine, or the kernel */
	TIMELINE_WAKER_TIMER,   /* a hardware interrupt: the time was up, or a disk has answered */
	TIMELINE_WAKER_NETWORK, /* a soft interrupt: a packet, or a disk */
	TIMELINE_WAKERS,
};

enum timeline_file_kind {
	TIMELINE_REGULAR,
	TIMELINE_METADATA, /* inodes, folders and extent trees of a file system; the path names its disk */
	TIMELINE_UNNAMED,  /* no name was found: deleted, or of another mount namespace */
	TIMELINE_FILE_KINDS,
};

struct timeline_file {
	char *path; /* owned; shorter than PATH_MAX */
	enum timeline_file_kind kind;
	uint64_t pages; /* size; 0 if unknown */
};

/* A thread. */
struct timeline_thread {
	uint64_t begin, end;
	int32_t tid, pid; /* the kernel's own numbers; equal in the first thread of a process */
	uint32_t parent;  /* the thread that made it; TIMELINE_NONE in the first one */
	char *name;       /* owned; the last one that it had */
};

/* Of a boot: a thread stands for all processes of a unit of systemd, and the unit was started and became active by itself. */
struct timeline_unit {
	uint64_t started, active; /* 0: before the timeline began; TIMELINE_NEVER: not known, or never */
};

/* A program that a thread executed. */
struct timeline_exec {
	uint64_t time;
	uint32_t thread;
	char *path; /* owned */
};

/* What a thread did for some time. The spans of a thread follow each other without gaps, from its begin to its end. */
struct timeline_span {
	uint64_t begin, end;
	uint32_t thread;
	enum timeline_state state;
	uint32_t file;  /* TIMELINE_READ: of what; TIMELINE_NONE if it is not known */
	uint32_t read;  /* TIMELINE_READ: the read that ended the wait; TIMELINE_NONE if none did */
	uint32_t note;  /* what it waited for, in words; TIMELINE_NONE without */
	uint32_t waker; /* TIMELINE_WAKER_THREAD: that thread */
	enum timeline_waker woken_by;
};

/* Of a read that headstart made, because the start was expected to need it: whether it was of use. */
enum timeline_prefetch {
	TIMELINE_NO_PREFETCH, /* the start asked for it itself */
	TIMELINE_IN_TIME,     /* the start touched it after it had arrived */
	TIMELINE_LATE,        /* the start wanted it earlier than it arrived */
	TIMELINE_IN_VAIN,     /* the start did not touch it as long as the trace went on */
	TIMELINE_UNJUDGED, /* not known: the file system's own data, or an old kernel, which reports no touches */
	TIMELINE_PREFETCHES,
};

/* A read from a disk, of one piece of one file. */
struct timeline_read {
	uint64_t begin, end; /* asked for, arrived */
	uint64_t place;      /* bytes from the beginning of the disk */
	uint32_t thread;     /* that asked */
	uint32_t file;       /* TIMELINE_NONE if it is not known */
	uint32_t page, pages;
	uint32_t disk; /* major << 20 | minor; 0: no disk of this machine (network, FUSE) */
	bool seeks;    /* does not begin where the request before it ended */
	bool ahead;    /* read ahead: nobody of the start waited for it */
	enum timeline_prefetch prefetch;
};

struct timeline_mark {
	uint64_t time;
	char *name; /* owned */
};

struct timeline {
	char *command, *program, *kernel, *ended_by; /* owned; the milestone's name */
	int64_t recorded; /* seconds since the epoch; of a year from 1970 to 9999 */
	uint64_t duration;
	uint64_t prefetched; /* what reading by a plan is expected to take; 0: not known */
	uint32_t page_size;
	bool lost; /* the kernel dropped events */
	struct timeline_file *files;
	size_t n_files, files_capacity;
	struct timeline_thread *threads;
	size_t n_threads, threads_capacity;
	struct timeline_unit *units; /* of a boot, one for each thread; else there are none */
	size_t n_units, units_capacity;
	struct timeline_exec *execs;
	size_t n_execs, execs_capacity;
	struct timeline_span *spans; /* ascending by thread, then by begin */
	size_t n_spans, spans_capacity;
	struct timeline_read *reads;
	size_t n_reads, reads_capacity;
	struct timeline_mark *marks;
	size_t n_marks, marks_capacity;
	char **notes; /* owned */
	size_t n_notes, notes_capacity;
};

/* Each returns 0 or -ENOMEM, and takes copies of strings. */
int timeline_add_file(
	struct timeline *timeline, enum timeline_file_kind kind, uint64_t pages, const char *path);
int timeline_add_thread(struct timeline *timeline, const struct timeline_thread *thread, const char *name);
int timeline_add_unit(struct timeline *timeline, const struct timeline_unit *unit);
int timeline_add_exec(struct timeline *timeline, uint64_t time, uint32_t thread, const char *path);
int timeline_add_span(struct timeline *timeline, const struct timeline_span *span);
int timeline_add_read(struct timeline *timeline, const struct timeline_read *read);
int timeline_add_mark(struct timeline *timeline, uint64_t time, const char *name);
int timeline_add_note(struct timeline *timeline, const char *text);

/*
 * Checks everything that is said above: indices, orders, times, that the spans of a thread leave no gap. Returns 0 or
 * -EINVAL.
 */
int timeline_check(const struct timeline *timeline);

/* Sorts n indices of reads by file, then by page. */
void timeline_sort_by_place(const struct timeline *timeline, uint32_t *reads, size_t n);

void timeline_release(struct timeline *timeline);

/* Whether it is the boot of a machine, by units (timeline/units.h), rather than a start. */
static inline bool timeline_is_boot(const struct timeline *timeline)
{
	return timeline->n_units > 0;
}

static inline void timeline_releasep(struct timeline *timeline)
{
	timeline_release(timeline);
}
