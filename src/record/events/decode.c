/* SPDX-License-Identifier: MIT */
#include "record/events/decode.h"

#include <errno.h>
#include <event-parse.h>
#include <string.h>

const struct event_description descriptions[N_EVENTS] = {
	[EVENT_FAULT] = {"filemap", "mm_filemap_fault", {"i_ino", "s_dev", "index"}},
	[EVENT_READ] = {"filemap", "mm_filemap_get_pages", {"i_ino", "s_dev", "index", "last_index"}},
	[EVENT_MAPPED] = {"filemap", "mm_filemap_map_pages", {"i_ino", "s_dev", "index", "last_index"}},
	[EVENT_ADDED] = {"filemap", "mm_filemap_add_to_page_cache", {"i_ino", "s_dev", "index", "order"}},
	[EVENT_EXEC] = {"sched", "sched_process_exec", {"filename"}},
	[EVENT_FORK] = {"sched", "sched_process_fork", {"child_pid"}},
	[EVENT_MARK] = {"ftrace", "print", {"buf"}},
	[EVENT_SWITCH] = {"sched", "sched_switch", {"prev_pid", "next_pid", "prev_state", "prev_comm"}},
	[EVENT_WAKING] = {"sched", "sched_waking", {"pid"}},
	[EVENT_NEW] = {"task", "task_newtask", {"pid", "clone_flags"}},
	[EVENT_CALL] = {"raw_syscalls", "sys_enter", {"id"}},
	[EVENT_ASKED] = {"block", "block_bio_queue", {"dev", "sector", "nr_sector", "rwbs"}},
	[EVENT_ISSUE] = {"block", "block_rq_issue", {"dev", "sector", "nr_sector", "rwbs"}},
	[EVENT_COMPLETE] = {"block", "block_rq_complete", {"dev", "sector", "nr_sector"}},
	[EVENT_GROUP] = {"cgroup", "cgroup_attach_task", {"pid", "dst_path"}},
};

int decoder_find(struct decoder *decoder, enum kind kind)
{
	struct event *event = &decoder->events[kind];

	event->format =
		tep_find_event_by_name(decoder->tep, descriptions[kind].system, descriptions[kind].name);
	if (!event->format)
		return -ENOENT;
	for (size_t i = 0; i < 4 && descriptions[kind].fields[i]; i++)
		event->fields[i] = tep_find_field(event->format, descriptions[kind].fields[i]);
	return event->fields[0] ? 0 : -ENOENT;
}

static unsigned long long field(const struct event *event, size_t i, const void *data)
{
	unsigned long long value = 0;

	if (event->fields[i])
		tep_read_number_field(event->fields[i], data, &value);
	return value;
}

/* Pages, inclusive. Those past 2^32 (16 TiB) are left out. */
static bool page_range(const struct decoder *decoder, enum kind kind, const void *data, uint32_t *ret_first,
	uint32_t *ret_last)
{
	const struct event *event = &decoder->events[kind];
	unsigned long long first = field(event, 2, data), last = first;

	if (kind == EVENT_READ || kind == EVENT_MAPPED)
		last = field(event, 3, data);
	else if (kind == EVENT_ADDED)
		last = first + (1ull << (field(event, 3, data) & 31)) - 1;
	if (first > UINT32_MAX - 1 || last < first)
		return false;
	*ret_first = (uint32_t)first;
	*ret_last = last > UINT32_MAX - 1 ? UINT32_MAX - 1 : (uint32_t)last;
	return true;
}

static int take_pages(const struct decoder *decoder, enum kind kind, const struct record_event *base,
	const void *data, struct record_trace *trace)
{
	const struct event *event = &decoder->events[kind];
	struct record_event taken = *base;

	if (!page_range(decoder, kind, data, &taken.first, &taken.last))
		return 0;
	taken.inode = field(event, 0, data);
	taken.device = (uint32_t)field(event, 1, data);
	taken.kind = kind == EVENT_MAPPED ? RECORD_MAPPED : kind == EVENT_ADDED ? RECORD_ADDED : RECORD_TOUCH;
	return record_trace_add_event(trace, &taken);
}

/*
 * A __data_loc field holds the offset of the string in the event, and its length with its NUL. Returns NULL if the string does
 * not lie within the event.
 */
static const char *string_of(const struct event *event, size_t i, const void *data, unsigned size)
{
	unsigned long long location = field(event, i, data);
	unsigned offset = location & 0xffff, length = (unsigned)(location >> 16 & 0xffff);
	const char *string = (const char *)data + offset;

	return offset > size || length > size - offset || !memchr(string, 0, length) ? NULL : string;
}

static int take_exec(const struct decoder *decoder, const struct record_event *base, const void *data,
	unsigned size, struct record_trace *trace)
{
	const char *path = string_of(&decoder->events[EVENT_EXEC], 0, data, size);

	return path ? record_trace_add_exec(trace, base->time, base->pid, path) : 0;
}

/* A process was put into a control group, by itself or by another one. */
static int take_group(const struct decoder *decoder, uint64_t time, const void *data, unsigned size,
	struct record_trace *trace)
{
	const struct event *event = &decoder->events[EVENT_GROUP];
	const char *path = string_of(event, 1, data, size);

	return path ? record_trace_add_group(trace, time, (int32_t)field(event, 0, data), path) : 0;
}

static int take_request(const struct decoder *decoder, enum kind kind, uint64_t time, const void *data,
	struct record_trace *trace)
{
	const struct event *event = &decoder->events[kind];
	struct record_request request = {
		.time = time,
		.device = (uint32_t)field(event, 0, data),
		.sector = field(event, 1, data),
		.sectors = (uint32_t)field(event, 2, data),
		.done = kind == EVENT_COMPLETE,
	};

	/* "R", "RA", "RM": include/trace/events/block.h, blk_fill_rwbs() */
	if (kind == EVENT_ISSUE && event->fields[3])
		request.reads = ((const char *)data)[event->fields[3]->offset] == 'R';
	return record_trace_add_request(trace, &request);
}

/* struct trace_entry (include/linux/trace_events.h): in which context the event happened. */
static enum timeline_context context_of(const struct decoder *decoder, struct tep_record *record)
{
	int flags = tep_data_flags(decoder->tep, record);

	return flags & TRACE_FLAG_HARDIRQ    ? CONTEXT_HARD
		: flags & TRACE_FLAG_SOFTIRQ ? CONTEXT_SOFT
					     : CONTEXT_THREAD;
}

/* The name of a thread, which the kernel fills up with NULs. */
static void take_name(const struct event *event, const void *data, unsigned size, char name[16])
{
	const struct tep_format_field *field = event->fields[3];

	if (!field || field->size != 16 || field->offset < 0 || (unsigned)field->offset + 16 > size)
		return;
	memcpy(name, (const char *)data + field->offset, 16);
	name[15] = '\0';
}

static int take_switch(const struct decoder *decoder, const struct timeline_moment *base, const void *data,
	unsigned size, struct record_trace *trace)
{
	const struct event *event = &decoder->events[EVENT_SWITCH];
	struct timeline_moment moment = *base;

	moment.kind = MOMENT_SWITCH;
	moment.thread = (int32_t)field(event, 0, data);
	moment.other = (int32_t)field(event, 1, data);
	moment.state = (uint32_t)field(event, 2, data);
	take_name(event, data, size, moment.name);
	return record_trace_add_moment(trace, &moment);
}

/* What a thread asks a disk for, unless it writes. */
static int take_asked(const struct decoder *decoder, const struct timeline_moment *base, const void *data,
	struct record_trace *trace)
{
	const struct event *event = &decoder->events[EVENT_ASKED];
	struct timeline_moment moment = *base;

	if (!event->fields[3] || ((const char *)data)[event->fields[3]->offset] != 'R')
		return 0;
	moment.kind = MOMENT_ASKED;
	moment.disk = (uint32_t)field(event, 0, data);
	moment.sector = field(event, 1, data);
	moment.sectors = (uint32_t)field(event, 2, data);
	return record_trace_add_moment(trace, &moment);
}

/* A touch of pages is also a moment of a timeline. */
static int take_touch(const struct decoder *decoder, enum kind kind, const struct timeline_moment *base,
	const void *data, struct record_trace *trace)
{
	const struct event *event = &decoder->events[kind];
	struct timeline_moment moment = *base;

	if (!page_range(decoder, kind, data, &moment.first, &moment.last))
		return 0;
	moment.kind = kind == EVENT_ADDED ? MOMENT_ADDED
		: kind == EVENT_MAPPED    ? MOMENT_MAPPED
					  : MOMENT_TOUCH;
	moment.inode = field(event, 0, data);
	moment.device = (uint32_t)field(event, 1, data);
	return record_trace_add_moment(trace, &moment);
}

static int take_moment(
	const struct decoder *decoder, enum kind kind, struct tep_record *record, struct record_trace *trace)
{
	struct timeline_moment moment = {.time = record->ts,
		.thread = tep_data_pid(decoder->tep, record),
		.context = context_of(decoder, record)};
	const struct event *event = &decoder->events[kind];

	switch (kind) {
	case EVENT_FAULT:
	case EVENT_READ:
	case EVENT_MAPPED:
	case EVENT_ADDED:
		return take_touch(decoder, kind, &moment, record->data, trace);
	case EVENT_SWITCH:
		return take_switch(decoder, &moment, record->data, (unsigned)record->size, trace);
	case EVENT_ASKED:
		return take_asked(decoder, &moment, record->data, trace);
	case EVENT_WAKING:
		moment.kind = MOMENT_WAKING;
		moment.other = (int32_t)field(event, 0, record->data);
		break;
	case EVENT_NEW:
		moment.kind = MOMENT_NEW;
		moment.other = (int32_t)field(event, 0, record->data);
		moment.flags = field(event, 1, record->data);
		break;
	case EVENT_CALL:
		moment.kind = MOMENT_CALL;
		moment.call = (int64_t)field(event, 0, record->data);
		break;
	default:
		return 0;
	}
	return record_trace_add_moment(trace, &moment);
}

int decoder_take(const struct decoder *decoder, bool moments, void *data, unsigned size, uint64_t time,
	struct record_trace *trace, int32_t *marked_by)
{
	struct tep_record record = {.data = data, .size = (int)size, .ts = time};
	int type = tep_data_type(decoder->tep, &record);
	struct record_event base = {.time = time, .pid = tep_data_pid(decoder->tep, &record)};

	for (enum kind kind = 0; kind < N_EVENTS; kind++) {
		if (!decoder->events[kind].format || decoder->events[kind].format->id != type)
			continue;
		if (moments) {
			int r = take_moment(decoder, kind, &record, trace);

			if (r < 0)
				return r;
		}
		switch (kind) {
		case EVENT_MARK:
			*marked_by = base.pid;
			return 0;
		case EVENT_FORK:
			return record_trace_add_pid(trace, (int32_t)field(&decoder->events[kind], 0, data));
		case EVENT_EXEC:
			return take_exec(decoder, &base, data, size, trace);
		case EVENT_ISSUE:
		case EVENT_COMPLETE:
			return take_request(decoder, kind, time, data, trace);
		case EVENT_GROUP:
			return take_group(decoder, time, data, size, trace);
		case EVENT_SWITCH:
		case EVENT_WAKING:
		case EVENT_NEW:
		case EVENT_CALL:
		case EVENT_ASKED:
			return 0;
		default:
			return take_pages(decoder, kind, &base, data, trace);
		}
	}
	return 0;
}
