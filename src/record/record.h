/* SPDX-License-Identifier: MIT */
/*
 * A recording, root backend: starts a command from a cold page cache and returns what its whole process tree touched.
 *
 * Exact, the default: with read-ahead off every page that is touched first raises a fault or is read, so the kernel's
 * own events say all. The machine is slower meanwhile; restore.h puts it back.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/profile.h"

enum record_milestone {
	RECORD_UNTIL_EXIT, /* of the command and all it started */
	RECORD_UNTIL_MARK, /* `headstart mark` */
	RECORD_UNTIL_IDLE, /* no event for `seconds` */
	RECORD_UNTIL_TIME, /* `seconds` after the start */
};

struct record_progress {
	double seconds; /* since the start */
	size_t events;
	size_t files; /* opened */
};

struct record_options {
	const char *path; /* of the command, as execve gets it */
	char *const *argv;
	const char *program; /* canonical path of the command */
	const char *
		user; /* NULL: run as we are; else nothing of ours goes with the command (user.h, terminal.h) */
	const char *recording; /* name that `headstart mark` is to use; the socket below has it */
	int mark;              /* a descriptor that becomes readable when a mark may have come; borrowed */
	bool (*marked)(
		void *context); /* takes what has come to it; returns whether the start has reached its mark */
	enum record_milestone until;
	double seconds;  /* for idle and time */
	double timeout;  /* seconds, always */
	bool keep_cache; /* do not drop the page cache first */
	bool keep_read_ahead;
	bool page_cache_events; /* what enters the page cache counts, as on kernels before 6.12 */
	void (*progress)(
		void *context, const struct record_progress *progress); /* or NULL; several times a second */
	void *context;
};

struct record_result {
	struct profile profile; /* the caller's to release */
	pid_t pid;              /* the command */
	bool running;           /* it has not ended yet: record_wait() */
	int status;             /* as waitpid(2) has it, when it has ended */
	/* Owned; of a command of another user that has not ended yet: record_wait(). */
	struct terminal *terminal;
	double seconds; /* from start to milestone */
	size_t events;
	/* Touched pages that the cache held before: order and extent are less sure. */
	uint64_t pages_resident;
	uint64_t events_unknown; /* about files that have no name any more, or none on a disk */
	bool names_by_walking;   /* no fanotify */
};

/* What was being done when record_run() failed, for people: "drop the page cache". */
enum record_step {
	RECORD_STEP_PREPARE,
	RECORD_STEP_TRACEFS,
	RECORD_STEP_MOUNTS,
	RECORD_STEP_READ_AHEAD,
	RECORD_STEP_TRACER,
	RECORD_STEP_COMMAND,
	RECORD_STEP_DROP,
	RECORD_STEP_EXEC,
	RECORD_STEP_RECORD,
	RECORD_STEP_RESTORE,
	RECORD_STEP_PROFILE,
};

const char *record_step_text(enum record_step step);

/*
 * Returns 0 with *ret filled in, or negative errno with *ret_step; everything is put back either way, and the command
 * has not begun, or goes on untraced. -EINTR: SIGTERM or SIGHUP came, which the command has been sent too.
 * Makes the calling process the reaper of the command's orphans, and ignores SIGINT and SIGQUIT from the start of the
 * command on: a terminal sends them to the command as well. A command of another user is in a session of its own
 * (user.h): to that they are passed on, and so are, when the recording has ended, SIGTERM and SIGHUP.
 */
int record_run(const struct record_options *options, struct record_result *ret, enum record_step *ret_step);

/* Waits for the command; `kill_tree` ends it and all it started first. Sets result->status. */
int record_wait(struct record_result *result, bool kill_tree);
