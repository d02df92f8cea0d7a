/* SPDX-License-Identifier: MIT */
/* A recording under way. Internal to src/record. */
#pragma once

#include <signal.h>
#include <stdbool.h>

#include "record/command/command.h"
#include "record/events/tracer.h"
#include "record/follow/follow.h"
#include "record/names/mounts.h"
#include "record/names/opens.h"
#include "record/record.h"
#include "record/restore/restore.h"
#include "record/waits/sleepers.h"

struct backend;
struct sampler;

struct session {
	const struct record_options *options;
	const struct backend *backend;
	struct restore restore;
	struct mounts mounts;
	struct tracer *tracer;
	struct follow *follow; /* these two of by-ptrace.c */
	const struct sock_fprog *filter;
	bool exact;              /* page tables will be: record/follow/pages/exact-faults.h */
	struct sampler *sampler; /* of by-pagemap.c */
	struct follow_summary following;
	struct opens opens;
	struct record_trace trace;
	struct sleepers sleepers; /* for a timeline */
	struct command command;
	struct terminal *terminal; /* of another user's command; NULL where none is needed */
	int32_t first;             /* the command's number in the kernel's own numbering */
	int signals;               /* signalfd; -1 until there is one */
	sigset_t mask_before;
	bool only_added;
	double started, last_event; /* seconds, CLOCK_MONOTONIC */
	bool command_ended, tree_ended, interrupted, marked, window_seen;
	int status;
	const char *milestone; /* what ended the recording; NULL until then */
};

/* The window watcher, if its window is the milestone; else -1. */
static inline int session_window(const struct session *session)
{
	return session->options->until.kind == MILESTONE_WINDOW ? session->options->window : -1;
}

/* make-profile.c: makes the profile of what was gathered, when all is restored. Returns 0 or negative errno. */
int session_make_profile(struct session *session, struct record_result *result);

/*
 * make-timeline.c: makes the timeline of what was gathered, when the profile is made and the requests are joined. Returns
 * 0 or negative errno.
 */
int session_make_timeline(struct session *session, struct record_result *result);
