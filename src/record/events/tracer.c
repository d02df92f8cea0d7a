/* SPDX-License-Identifier: MIT */
/*
 * libtracefs sets the instance up and libtraceevent says where the fields lie in an event. Each CPU's buffer is read
 * raw, a sub-buffer at a time, without waiting; the caller sorts by time.
 */
#include "record/events/tracer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include <kbuffer.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "record/events/formats.h"

#define BUFFERS_KIB    (64u << 10) /* of all CPUs together */
#define BUFFER_MIN_KIB 1024u
#define BUFFER_MAX_KIB 8192u
#define TREE_MAX       64    /* processes that a tree has at first */
#define LIGHT_KIB      1024u /* of each CPU */

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
	EVENT_ISSUE, /* from here on: of disks, recorded for everybody */
	EVENT_COMPLETE,
	N_EVENTS
};

static const struct {
	const char *system, *name;
	const char *fields
		[4]; /* inode, device, first, last; or pid; or the string; or as in struct record_request */
} descriptions[N_EVENTS] = {
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
};

struct event {
	struct tep_event *format;
	struct tep_format_field *fields[4];
};

/* An instance of ftrace, and the buffers that it fills. */
struct ring {
	struct tracefs_instance *instance;
	int *cpus; /* trace_pipe_raw of each; -1 if a CPU has no buffer */
	int n_cpus;
};

struct tracer {
	struct ring tree;  /* what the command's tree does */
	struct ring disks; /* what the disks do, for whomever: a disk's answer comes in no process */
	struct tep_handle *tep;
	struct kbuffer *kbuffer;
	struct event events[N_EVENTS];
	void *sub_buffer;
	size_t sub_buffer_size; /* bytes */
	bool only_added;
	bool moments;      /* the events for a timeline are recorded, too */
	int32_t marked_by; /* 0 until somebody wrote to the marker */
};

static void ring_release(struct ring *ring)
{
	for (int cpu = 0; cpu < ring->n_cpus; cpu++)
		if (ring->cpus[cpu] >= 0)
			close(ring->cpus[cpu]);
	free(ring->cpus);
	if (ring->instance)
		tracefs_instance_free(ring->instance);
	*ring = (struct ring){0};
}

void tracer_free(struct tracer *tracer)
{
	if (!tracer)
		return;
	ring_release(&tracer->tree);
	ring_release(&tracer->disks);
	free(tracer->sub_buffer);
	if (tracer->kbuffer)
		kbuffer_free(tracer->kbuffer);
	if (tracer->tep)
		tep_free(tracer->tep);
	free(tracer);
}

static int find_event(struct tracer *tracer, enum kind kind)
{
	struct event *event = &tracer->events[kind];

	event->format =
		tep_find_event_by_name(tracer->tep, descriptions[kind].system, descriptions[kind].name);
	if (!event->format)
		return -ENOENT;
	for (size_t i = 0; i < 4 && descriptions[kind].fields[i]; i++)
		event->fields[i] = tep_find_field(event->format, descriptions[kind].fields[i]);
	return event->fields[0] ? 0 : -ENOENT;
}

static int find_events(struct tracer *tracer, const char *root, enum tracer_source source)
{
	static const enum kind needed[] = {EVENT_EXEC, EVENT_FORK, EVENT_MARK};
	struct format_name names[N_EVENTS + 1] = {0};
	int r;

	for (enum kind kind = 0; kind < N_EVENTS; kind++)
		names[kind] = (struct format_name){descriptions[kind].system, descriptions[kind].name};
	r = formats_read(root, names, &tracer->tep);
	if (r < 0)
		return r;
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (find_event(tracer, needed[i]))
			return -ENOENT;
	tracer->only_added = source == TRACER_PAGE_CACHE || find_event(tracer, EVENT_FAULT) ||
		find_event(tracer, EVENT_READ) || find_event(tracer, EVENT_MAPPED);
	return find_event(tracer, EVENT_ADDED);
}

/* What a timeline needs besides. */
static int find_moments(struct tracer *tracer)
{
	for (enum kind kind = EVENT_SWITCH; kind < EVENT_ISSUE; kind++)
		if (find_event(tracer, kind) < 0)
			return -ENOENT;
	tracer->moments = true;
	return 0;
}

static int write_option(const struct ring *ring, const char *file, const char *value)
{
	errno = 0;
	if (tracefs_instance_file_write(ring->instance, file, value) >= 0)
		return 0;
	return errno ? -errno : -EIO;
}

static unsigned buffer_kib(void)
{
	unsigned kib = BUFFERS_KIB / (unsigned)sysconf(_SC_NPROCESSORS_CONF);

	return kib < BUFFER_MIN_KIB ? BUFFER_MIN_KIB : kib > BUFFER_MAX_KIB ? BUFFER_MAX_KIB : kib;
}

static int set_up_instance(struct ring *ring, const char *name, unsigned size_kib)
{
	char kib[16];
	int r;

	ring->instance = tracefs_instance_create(name);
	if (!ring->instance)
		return errno ? -errno : -EIO;
	snprintf(kib, sizeof(kib), "%u", size_kib);
	r = write_option(ring, "buffer_size_kb", kib);
	return r < 0 ? r : write_option(ring, "trace_clock", "mono");
}

/* We open them ourselves, because the command would inherit descriptors of tracefs_cpu_open(). */
static int open_buffers(struct ring *ring)
{
	int n_cpus = (int)sysconf(_SC_NPROCESSORS_CONF), found = 0;

	ring->cpus = calloc((size_t)n_cpus, sizeof(*ring->cpus));
	if (!ring->cpus)
		return -ENOMEM;
	for (; ring->n_cpus < n_cpus; ring->n_cpus++) {
		char path[64];
		int fd;

		snprintf(path, sizeof(path), "per_cpu/cpu%d/trace_pipe_raw", ring->n_cpus);
		fd = tracefs_instance_file_open(ring->instance, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		ring->cpus[ring->n_cpus] = fd;
		found += fd >= 0;
	}
	return found ? 0 : -EIO;
}

static int set_up_tree(struct tracer *tracer, const char *name, bool light)
{
	int r = set_up_instance(&tracer->tree, name, light ? LIGHT_KIB : buffer_kib());

	if (r == 0)
		r = write_option(&tracer->tree, "options/event-fork", "1");
	if (r == 0)
		r = open_buffers(&tracer->tree);
	if (r < 0)
		return r;
	tracer->sub_buffer_size = (size_t)tep_get_sub_buffer_size(tracer->tep);
	tracer->sub_buffer = malloc(tracer->sub_buffer_size);
	tracer->kbuffer = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST);
	return tracer->sub_buffer && tracer->kbuffer ? 0 : -ENOMEM;
}

/* A recording is as good without what the disks do. */
static void set_up_disks(struct tracer *tracer, const char *name)
{
	char disks[128];

	if (find_event(tracer, EVENT_ISSUE) < 0 || find_event(tracer, EVENT_COMPLETE) < 0)
		return;
	snprintf(disks, sizeof(disks), "%s" TRACER_DISKS, name);
	if (set_up_instance(&tracer->disks, disks, buffer_kib()) < 0 || open_buffers(&tracer->disks) < 0)
		ring_release(&tracer->disks);
}

int tracer_open(int tracefs, const char *name, const struct tracer_options *options, struct tracer **ret)
{
	_cleanup_(tracer_freep) struct tracer *tracer = calloc(1, sizeof(*tracer));
	char root[64];
	int r;

	if (!tracer)
		return -ENOMEM;
	snprintf(root, sizeof(root), "/proc/self/fd/%d", tracefs);
	errno = 0;
	r = find_events(tracer, root, options->source);
	if (r == 0 && options->moments)
		r = find_moments(tracer);
	if (r == 0 && tracefs_set_tracing_dir(root) < 0)
		r = -ENOMEM;
	if (r == 0)
		r = set_up_tree(tracer, name, options->light);
	if (r < 0)
		return r;
	if (!options->light)
		set_up_disks(tracer, name);
	*ret = TAKE_PTR(tracer);
	return 0;
}

bool tracer_has_only_added(const struct tracer *tracer)
{
	return tracer->only_added;
}

int tracer_marker(struct tracer *tracer)
{
	int fd = tracefs_instance_file_open(tracer->tree.instance, "trace_marker", O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static unsigned long long field(const struct event *event, size_t i, const void *data)
{
	unsigned long long value = 0;

	if (event->fields[i])
		tep_read_number_field(event->fields[i], data, &value);
	return value;
}

/* Pages, inclusive. Those past 2^32 (16 TiB) are left out. */
static bool page_range(
	struct tracer *tracer, enum kind kind, const void *data, uint32_t *ret_first, uint32_t *ret_last)
{
	const struct event *event = &tracer->events[kind];
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

static int take_pages(struct tracer *tracer, enum kind kind, const struct record_event *base,
	const void *data, struct record_trace *trace)
{
	const struct event *event = &tracer->events[kind];
	struct record_event taken = *base;

	if (!page_range(tracer, kind, data, &taken.first, &taken.last))
		return 0;
	taken.inode = field(event, 0, data);
	taken.device = (uint32_t)field(event, 1, data);
	taken.kind = kind == EVENT_MAPPED ? RECORD_MAPPED : kind == EVENT_ADDED ? RECORD_ADDED : RECORD_TOUCH;
	return record_trace_add_event(trace, &taken);
}

/* A __data_loc field holds the offset of the string in the event, and its length with its NUL. */
static int take_exec(struct tracer *tracer, const struct record_event *base, const void *data, unsigned size,
	struct record_trace *trace)
{
	unsigned long long location = field(&tracer->events[EVENT_EXEC], 0, data);
	unsigned offset = location & 0xffff, length = (unsigned)(location >> 16 & 0xffff);
	const char *path = (const char *)data + offset;

	if (offset > size || length > size - offset || !memchr(path, 0, length))
		return 0;
	return record_trace_add_exec(trace, base->time, base->pid, path);
}

static int take_request(
	struct tracer *tracer, enum kind kind, uint64_t time, const void *data, struct record_trace *trace)
{
	const struct event *event = &tracer->events[kind];
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
static enum timeline_context context_of(struct tracer *tracer, struct tep_record *record)
{
	int flags = tep_data_flags(tracer->tep, record);

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

static int take_switch(struct tracer *tracer, const struct timeline_moment *base, const void *data,
	unsigned size, struct record_trace *trace)
{
	const struct event *event = &tracer->events[EVENT_SWITCH];
	struct timeline_moment moment = *base;

	moment.kind = MOMENT_SWITCH;
	moment.thread = (int32_t)field(event, 0, data);
	moment.other = (int32_t)field(event, 1, data);
	moment.state = (uint32_t)field(event, 2, data);
	take_name(event, data, size, moment.name);
	return record_trace_add_moment(trace, &moment);
}

/* What a thread asks a disk for, unless it writes. */
static int take_asked(struct tracer *tracer, const struct timeline_moment *base, const void *data,
	struct record_trace *trace)
{
	const struct event *event = &tracer->events[EVENT_ASKED];
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
static int take_touch(struct tracer *tracer, enum kind kind, const struct timeline_moment *base,
	const void *data, struct record_trace *trace)
{
	const struct event *event = &tracer->events[kind];
	struct timeline_moment moment = *base;

	if (!page_range(tracer, kind, data, &moment.first, &moment.last))
		return 0;
	moment.kind = kind == EVENT_ADDED ? MOMENT_ADDED
		: kind == EVENT_MAPPED    ? MOMENT_MAPPED
					  : MOMENT_TOUCH;
	moment.inode = field(event, 0, data);
	moment.device = (uint32_t)field(event, 1, data);
	return record_trace_add_moment(trace, &moment);
}

static int take_moment(
	struct tracer *tracer, enum kind kind, struct tep_record *record, struct record_trace *trace)
{
	struct timeline_moment moment = {.time = record->ts,
		.thread = tep_data_pid(tracer->tep, record),
		.context = context_of(tracer, record)};
	const struct event *event = &tracer->events[kind];

	switch (kind) {
	case EVENT_FAULT:
	case EVENT_READ:
	case EVENT_MAPPED:
	case EVENT_ADDED:
		return take_touch(tracer, kind, &moment, record->data, trace);
	case EVENT_SWITCH:
		return take_switch(tracer, &moment, record->data, (unsigned)record->size, trace);
	case EVENT_ASKED:
		return take_asked(tracer, &moment, record->data, trace);
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

static int take_event(
	struct tracer *tracer, void *data, unsigned size, uint64_t time, struct record_trace *trace)
{
	struct tep_record record = {.data = data, .size = (int)size, .ts = time};
	int type = tep_data_type(tracer->tep, &record);
	struct record_event base = {.time = time, .pid = tep_data_pid(tracer->tep, &record)};

	for (enum kind kind = 0; kind < N_EVENTS; kind++) {
		if (!tracer->events[kind].format || tracer->events[kind].format->id != type)
			continue;
		if (tracer->moments) {
			int r = take_moment(tracer, kind, &record, trace);

			if (r < 0)
				return r;
		}
		switch (kind) {
		case EVENT_MARK:
			tracer->marked_by = base.pid;
			return 0;
		case EVENT_FORK:
			return record_trace_add_pid(trace, (int32_t)field(&tracer->events[kind], 0, data));
		case EVENT_EXEC:
			return take_exec(tracer, &base, data, size, trace);
		case EVENT_ISSUE:
		case EVENT_COMPLETE:
			return take_request(tracer, kind, time, data, trace);
		case EVENT_SWITCH:
		case EVENT_WAKING:
		case EVENT_NEW:
		case EVENT_CALL:
		case EVENT_ASKED:
			return 0;
		default:
			return take_pages(tracer, kind, &base, data, trace);
		}
	}
	return 0;
}

static int take_sub_buffer(struct tracer *tracer, const struct ring *ring, struct record_trace *trace)
{
	unsigned long long time;
	void *data;

	if (kbuffer_load_subbuffer(tracer->kbuffer, tracer->sub_buffer) < 0)
		return -EIO;
	if (kbuffer_missed_events(tracer->kbuffer)) {
		trace->lost |= ring == &tracer->tree;
		trace->requests_lost |= ring == &tracer->disks;
	}
	while ((data = kbuffer_read_event(tracer->kbuffer, &time))) {
		int r = take_event(tracer, data, (unsigned)kbuffer_event_size(tracer->kbuffer), time, trace);

		if (r < 0)
			return r;
		kbuffer_next_event(tracer->kbuffer, NULL);
	}
	return 0;
}

static int drain(struct tracer *tracer, const struct ring *ring, struct record_trace *trace)
{
	for (int cpu = 0; cpu < ring->n_cpus; cpu++) {
		if (ring->cpus[cpu] < 0)
			continue;
		while (read(ring->cpus[cpu], tracer->sub_buffer, tracer->sub_buffer_size) > 0) {
			int r = take_sub_buffer(tracer, ring, trace);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

int tracer_drain(struct tracer *tracer, struct record_trace *trace)
{
	int r = drain(tracer, &tracer->tree, trace);

	return r < 0 ? r : drain(tracer, &tracer->disks, trace);
}

static int enable(const struct ring *ring, enum kind kind)
{
	errno = 0;
	if (tracefs_event_enable(ring->instance, descriptions[kind].system, descriptions[kind].name) < 0)
		return errno ? -errno : -EIO;
	return 0;
}

static int leave_out(const struct ring *ring, enum kind kind, const char *name)
{
	char file[96], filter[96];

	snprintf(file, sizeof(file), "events/%s/%s/filter", descriptions[kind].system,
		descriptions[kind].name);
	snprintf(filter, sizeof(filter), "COMM != \"%s\" && !(COMM ~ \"iou-wrk-*\")", name);
	return write_option(ring, file, filter);
}

/* Chooses the processes, and switches the events of the tree on. */
static int follow(struct tracer *tracer, struct record_trace *trace, const int32_t *pids, size_t n)
{
	char text[TREE_MAX * 12] = "";
	size_t used = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n && i < TREE_MAX; i++) {
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%d ", pids[i]);
		r = record_trace_add_pid(trace, pids[i]);
	}
	if (r == 0)
		r = write_option(&tracer->tree, "set_event_pid", text);
	for (enum kind kind = tracer->only_added ? EVENT_ADDED : 0; r == 0 && kind < EVENT_MARK; kind++)
		r = enable(&tracer->tree, kind);
	for (enum kind kind = EVENT_SWITCH; r == 0 && tracer->moments && kind < EVENT_ISSUE; kind++)
		r = enable(&tracer->tree, kind);
	return r;
}

static int forget_events(struct tracer *tracer)
{
	struct record_trace before = {0};
	int r = tracer_drain(tracer, &before);

	record_trace_release(&before);
	return r;
}

int tracer_attach(struct tracer *tracer, struct record_trace *trace, const int32_t *pids, size_t n)
{
	int r = forget_events(tracer);

	return r < 0 ? r : follow(tracer, trace, pids, n);
}

int tracer_attach_everybody(struct tracer *tracer, const char *except)
{
	int r = forget_events(tracer);

	for (enum kind kind = tracer->only_added ? EVENT_ADDED : 0; r == 0 && kind <= EVENT_EXEC; kind++) {
		r = leave_out(&tracer->tree, kind, except);
		if (r == 0)
			r = enable(&tracer->tree, kind);
	}
	return r;
}

int tracer_follow(struct tracer *tracer, struct record_trace *trace, int32_t *ret_pid)
{
	int r = tracer_drain(tracer, trace);

	if (r < 0)
		return r;
	if (!tracer->marked_by)
		return -ESRCH;
	r = follow(tracer, trace, &tracer->marked_by, 1);
	if (tracer->disks.instance &&
		(enable(&tracer->disks, EVENT_ISSUE) < 0 || enable(&tracer->disks, EVENT_COMPLETE) < 0))
		ring_release(&tracer->disks);
	if (r == 0)
		*ret_pid = tracer->marked_by;
	return r;
}

int tracer_stop(struct tracer *tracer, struct record_trace *trace)
{
	int r = write_option(&tracer->tree, "tracing_on", "0");

	return r < 0 ? r : tracer_drain(tracer, trace);
}

bool tracer_sees_disks(const struct tracer *tracer)
{
	return tracer->disks.instance;
}

int tracer_stop_disks(struct tracer *tracer, struct record_trace *trace)
{
	int r = tracer->disks.instance ? write_option(&tracer->disks, "tracing_on", "0") : 0;

	return r < 0 ? r : drain(tracer, &tracer->disks, trace);
}
