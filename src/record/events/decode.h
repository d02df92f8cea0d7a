/* SPDX-License-Identifier: MIT */
/* Which events of the kernel are recorded, where the fields lie in them, and what they say. */
#pragma once

#include <stdbool.h>

#include "record/events/trace.h"

struct tep_handle;
struct tep_event;
struct tep_format_field;

enum kind {
	EVENT_FAULT,
	EVENT_READ,
	EVENT_MAPPED,
	EVENT_ADDED,
	EVENT_EXEC,
	EVENT_FORK,
	EVENT_MARK,
	EVENT_SWITCH, /* from here on: for a timeline */
	EVENT_WAKING,
	EVENT_NEW,
	EVENT_CALL,
	EVENT_ASKED,
	EVENT_ISSUE, /* from here on recorded for everybody: of disks, and of control groups */
	EVENT_COMPLETE,
	EVENT_GROUP,
	N_EVENTS
};

struct event_description {
	const char *system, *name;
	const char *fields
		[4]; /* inode, device, first, last; or pid, and a string; or the string; or as in struct record_request */
};

extern const struct event_description descriptions[N_EVENTS];

struct event {
	struct tep_event *format;
	struct tep_format_field *fields[4];
};

struct decoder {
	struct tep_handle *tep; /* owned */
	struct event events[N_EVENTS];
};

/* Finds the fields of an event, so that it is decoded from then on. Returns 0, or -ENOENT: the kernel lacks it. */
int decoder_find(struct decoder *decoder, enum kind kind);

/*
 * Adds what an event says to the trace; with `moments`, also what it says of its thread. *marked_by becomes the number of
 * the process that writes to the marker. Returns 0 or -ENOMEM.
 */
int decoder_take(const struct decoder *decoder, bool moments, void *data, unsigned size, uint64_t time,
	struct record_trace *trace, int32_t *marked_by);
