/* SPDX-License-Identifier: MIT */
/*
 * Records: starts a command from a cold page cache and returns what its whole process tree touched.
 *
 * By trace events, as root, this is exact: with read-ahead off, the first touch of every page is a fault or a read, and the
 * kernel reports both. The machine is slower meanwhile; restore/restore.h puts read-ahead back. By ptrace it needs no
 * privilege, and the rest of the machine does not notice; follow/follow.h says what is known then. By page tables alone
 * (follow/sampler.h) it works where ptrace is refused, and misses what is too short to be seen.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/texts/milestone.h"
#include "profile/profile.h"
#include "record/disks/requests.h"
#include "record/follow/follow.h"
#include "timeline/timeline.h"

struct record_progress {
	bool begins;    /* the command starts at this moment, and has written nothing yet */
	double seconds; /* since the start */
	size_t events;
	size_t files;              /* opened */
	struct terminal *terminal; /* that the command of another user writes to, through us; else NULL */
};

enum record_backend {
	RECORD_BACKEND_EVENTS,  /* as root: the kernel's trace events */
	RECORD_BACKEND_PTRACE,  /* without privileges */
	RECORD_BACKEND_PAGEMAP, /* where that is refused, too: looks at /proc now and then */
};

/* What has been gathered so far. Whoever watches may take it out of the lists of the trace. */
struct record_seen {
	struct record_trace *trace;
	const struct record_files *files; /* their names */
	uint64_t complete; /* nanoseconds, CLOCK_MONOTONIC: everything until then has been gathered */
	uint64_t began;    /* the same: when the command was let go; 0: it was there before */
	bool last;         /* the recording has ended */
	int32_t first;     /* by trace events: the command's number in the kernel's own numbering */
};

/* Returns 0, negative errno to give up, or anything else to end the recording. */
typedef int record_watcher(void *context, const struct record_seen *seen);

struct record_options {
	enum record_backend backend;
	const char *path; /* of the command, as execve gets it */
	char *const *argv;
	const char *program;   /* canonical path of the command */
	const char *user;      /* NULL: ours; else the command gets nothing of ours (command/user.h) */
	const char *recording; /* the name that `headstart mark` uses; the socket below has it. Or NULL */
	int mark; /* a descriptor that becomes readable when a mark may have come; borrowed; -1: none */
	bool (*marked)(void *context); /* takes what has arrived; returns whether the start is marked */
	int window;             /* a window watcher (window-watcher.h), if that is the milestone; borrowed */
	struct milestone until; /* idle: no event for so long */
	double timeout;         /* seconds, always */
	bool keep_cache;        /* do not drop the page cache first; by ptrace: nor the files of the start */
	bool keep_read_ahead;
	bool sound_disks; /* read a little more when the start is recorded, to measure the disks (disks/sound.h) */
	const struct functions_choice
		*functions;    /* by ptrace: whose functions to record as well; NULL: none */
	bool timeline;         /* also what each thread does over time: record_result.timeline */
	record_watcher *watch; /* or NULL; several times a second. With it nothing is made of the recording */
	bool page_cache_events; /* pages that enter the page cache count, as on kernels before 6.12 */
	/*
	 * Gets the profile of a program that was started in a mount namespace of its own, by its names there
	 * (profiles/inside.h); in a child process inside. May be NULL.
	 */
	int (*inside)(void *context, struct profile *profile);
	void (*progress)(
		void *context, const struct record_progress *progress); /* or NULL; several times a second */
	void *context;
};

struct record_result {
	struct profile profile;    /* the caller's to release */
	struct record_disks disks; /* the caller's to release; empty if the kernel does not report requests */
	struct timeline timeline;  /* the caller's to release; empty unless it was asked for */
	pid_t pid;                 /* the command */
	bool running; /* the command, or by ptrace anything that it started, has not ended yet: call record_wait() */
	int status; /* of the command, as waitpid(2) has it; 0 until it has ended */
	/* Owned; NULL unless the command runs as another user and has not ended yet: call record_wait(). */
	struct terminal *terminal;
	double seconds; /* from start to milestone */
	size_t events;
	/* Touched pages that were cached before: their order and extent are recorded less precisely. */
	uint64_t pages_resident;
	struct follow *follow;           /* owned; NULL unless by ptrace and running: call record_wait() */
	struct follow_summary following; /* by ptrace */
	size_t files_unnamed; /* touched, but only other mount namespaces have names for them (names/unnamed.h) */
	int inside_error;     /* negative errno of a profile inside that could not be made, or 0 */
	uint64_t events_unknown; /* about files that have no name any more, or no disk */
	bool names_by_walking;   /* no fanotify */
};

/* The step at which record_run() failed, for people: "drop the page cache". */
enum record_step {
	RECORD_STEP_PREPARE,
	RECORD_STEP_TRACEFS,
	RECORD_STEP_MOUNTS,
	RECORD_STEP_READ_AHEAD,
	RECORD_STEP_TRACER,
	RECORD_STEP_FOLLOW,
	RECORD_STEP_COMMAND,
	RECORD_STEP_DROP,
	RECORD_STEP_EXEC,
	RECORD_STEP_RECORD,
	RECORD_STEP_RESTORE,
	RECORD_STEP_PROFILE,
};

/*
 * Whether trace events can be recorded here. Returns 0, or negative errno: -EPERM without root's rights, -EACCES if the
 * kernel refuses them to this root all the same, -ENOENT or -ENODEV if it has none.
 */
int record_probe_events(void);

/*
 * Whether commands can be followed by ptrace here. Returns 0, or negative errno: -EOPNOTSUPP on a processor that it was not
 * written for.
 */
int record_probe_ptrace(void);

const char *record_step_text(enum record_step step);

/*
 * Returns 0 with *ret filled in, or negative errno with *ret_step. Everything is restored either way; after an error
 * the command has not begun, or goes on untraced. -EINTR: SIGTERM or SIGHUP came, and was passed on to the command. -ETIME: it did
 * not begin within 30 seconds, as where its user has stopped it or a file system does not answer, and was killed.
 *
 * Makes the calling process the reaper of the command's orphans. Ignores SIGPIPE, and SIGINT and SIGQUIT once the
 * command starts, because a terminal sends them to the command as well. A command of another user has a session of its own (command/user.h):
 * these two signals are passed on to it, and after the recording SIGTERM and SIGHUP as well.
 */
int record_run(const struct record_options *options, struct record_result *ret, enum record_step *ret_step);

/*
 * Waits for the command; by ptrace also for everything that it started, which cannot go on without us. `kill_tree` first
 * ends it and everything it started. Sets result->status. Returns 0, -EPERM if some of these could not be ended, or negative errno.
 */
int record_wait(struct record_result *result, bool kill_tree);

void record_result_release(struct record_result *result);
