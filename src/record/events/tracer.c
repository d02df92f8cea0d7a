/* SPDX-License-Identifier: MIT */
/*
 * libtracefs sets the instance up. Each CPU's buffer is read raw, a sub-buffer at a time, without waiting; the caller sorts
 * by time.
 */
#include "record/events/tracer.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include <kbuffer.h>

#include "base/cleanup.h"
#include "base/run/process-file.h"
#include "base/run/process-tree.h"
#include "base/strings.h"
#include "record/events/buffers.h"
#include "record/events/decode.h"
#include "record/events/formats.h"

#define BUFFERS_KIB    (64u << 10) /* of all CPUs together */
#define BUFFER_MIN_KIB 1024u
#define BUFFER_MAX_KIB 8192u
#define TID_TEXT       12    /* characters of a thread's number, with a blank and a sign */
#define ROUNDS_MAX     4     /* of looking for threads that are made meanwhile */
#define LIGHT_KIB      1024u /* of each CPU */
#define MOMENTS_KIB    2048u /* of each CPU at most, for what everybody's threads do */

/* An instance of ftrace, and the buffers that it fills. */
struct ring {
	struct tracefs_instance *instance;
	struct buffers buffers;
};

struct tracer {
	struct ring tree;  /* what the command's tree does */
	struct ring disks; /* what the disks do, for whomever: a disk's answer comes in no process */
	struct decoder decoder;
	struct kbuffer *kbuffer;
	void *sub_buffer;
	size_t sub_buffer_size; /* bytes */
	bool only_added;
	bool moments;      /* the events for a timeline are recorded, too */
	int32_t marked_by; /* 0 until somebody wrote to the marker */
};

static void ring_release(struct ring *ring)
{
	buffers_release(&ring->buffers);
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
	if (tracer->decoder.tep)
		tep_free(tracer->decoder.tep);
	free(tracer);
}

static int find_events(struct tracer *tracer, const char *root, enum tracer_source source)
{
	static const enum kind needed[] = {EVENT_EXEC, EVENT_FORK, EVENT_MARK};
	struct format_name names[N_EVENTS + 1] = {0};
	int r;

	for (enum kind kind = 0; kind < N_EVENTS; kind++)
		names[kind] = (struct format_name){descriptions[kind].system, descriptions[kind].name};
	r = formats_read(root, names, &tracer->decoder.tep);
	if (r < 0)
		return r;
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (decoder_find(&tracer->decoder, needed[i]))
			return -ENOENT;
	tracer->only_added = source == TRACER_PAGE_CACHE || decoder_find(&tracer->decoder, EVENT_FAULT) ||
		decoder_find(&tracer->decoder, EVENT_READ) || decoder_find(&tracer->decoder, EVENT_MAPPED);
	return decoder_find(&tracer->decoder, EVENT_ADDED);
}

/* What a timeline needs besides. */
static int find_moments(struct tracer *tracer)
{
	for (enum kind kind = EVENT_SWITCH; kind < EVENT_ISSUE; kind++)
		if (decoder_find(&tracer->decoder, kind) < 0)
			return -ENOENT;
	(void)decoder_find(
		&tracer->decoder, EVENT_GROUP); /* without it, /proc knows it of those that live longer */
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

static unsigned moments_kib(void)
{
	return buffer_kib() < MOMENTS_KIB ? buffer_kib() : MOMENTS_KIB;
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

static int set_up_tree(struct tracer *tracer, const char *name, bool light)
{
	int r = set_up_instance(&tracer->tree, name, light ? LIGHT_KIB : buffer_kib());

	if (r == 0)
		r = write_option(&tracer->tree, "options/event-fork", "1");
	if (r == 0)
		r = buffers_open(tracer->tree.instance, &tracer->tree.buffers);
	if (r < 0)
		return r;
	tracer->sub_buffer_size = (size_t)tep_get_sub_buffer_size(tracer->decoder.tep);
	tracer->sub_buffer = malloc(tracer->sub_buffer_size);
	tracer->kbuffer = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST);
	return tracer->sub_buffer && tracer->kbuffer ? 0 : -ENOMEM;
}

/* A kernel may not report what the disks do. */
static int set_up_disks(struct tracer *tracer, const char *name, unsigned size_kib)
{
	char disks[128];
	int r;

	if (decoder_find(&tracer->decoder, EVENT_ISSUE) < 0 ||
		decoder_find(&tracer->decoder, EVENT_COMPLETE) < 0)
		return 0;
	snprintf(disks, sizeof(disks), "%s" TRACER_DISKS, name);
	r = set_up_instance(&tracer->disks, disks, size_kib);
	if (r == 0)
		r = buffers_open(tracer->disks.instance, &tracer->disks.buffers);
	if (r < 0)
		ring_release(&tracer->disks);
	return r;
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
	if (!options->light || options->moments)
		r = set_up_disks(tracer, name, options->light ? moments_kib() : buffer_kib());
	if (r < 0 && options->moments) /* as in enable_disks() */
		return r;
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
		int r = decoder_take(&tracer->decoder, tracer->moments, data,
			(unsigned)kbuffer_event_size(tracer->kbuffer), time, trace, &tracer->marked_by);

		if (r < 0)
			return r;
		kbuffer_next_event(tracer->kbuffer, NULL);
	}
	return 0;
}

static int drain(struct tracer *tracer, const struct ring *ring, struct record_trace *trace)
{
	for (int cpu = 0; cpu < ring->buffers.n; cpu++) {
		if (ring->buffers.cpus[cpu] < 0)
			continue;
		while (read(ring->buffers.cpus[cpu], tracer->sub_buffer, tracer->sub_buffer_size) > 0) {
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

/* tracefs_event_enable() would look at every event that the kernel has. */
static int enable(const struct ring *ring, enum kind kind)
{
	char file[96];

	snprintf(file, sizeof(file), "events/%s/%s/enable", descriptions[kind].system,
		descriptions[kind].name);
	return write_option(ring, file, "1");
}

static int leave_out(const struct ring *ring, enum kind kind, const char *name)
{
	char file[96], filter[96];

	snprintf(file, sizeof(file), "events/%s/%s/filter", descriptions[kind].system,
		descriptions[kind].name);
	snprintf(filter, sizeof(filter), "COMM != \"%s\" && !(COMM ~ \"iou-wrk-*\")", name);
	return write_option(ring, file, filter);
}

/* Chooses these threads, besides those that are chosen already. What they fork is chosen by the kernel from then on. */
static int choose(const struct tracer *tracer, const int32_t *tids, size_t n)
{
	_cleanup_free_ char *text = malloc(n * TID_TEXT + 1);
	size_t used = 0;

	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, TID_TEXT + 1, "%" PRId32 " ", tids[i]);
	errno = 0;
	if (n == 0 || tracefs_instance_file_append(tracer->tree.instance, "set_event_pid", text) >= 0)
		return 0;
	return errno ? -errno : -EIO;
}

static bool has_pid(const struct record_trace *trace, int32_t pid)
{
	for (size_t i = 0; i < trace->n_pids; i++)
		if (trace->pids[i] == pid)
			return true;
	return false;
}

/* Adds the threads of a process that are not among trace->pids yet. */
static int add_threads(struct record_trace *trace, int32_t pid)
{
	_cleanup_closedir_ DIR *threads = process_threads(pid);
	int32_t tid;
	int r = 0;

	while (r == 0 && threads && (tid = process_next_thread(threads)))
		if (!has_pid(trace, tid))
			r = record_trace_add_pid(trace, tid);
	return r;
}

static int add_tree(struct record_trace *trace, int32_t top)
{
	_cleanup_free_ pid_t *below = NULL;
	size_t n = 0, capacity = 0;
	int r = add_threads(trace, top);

	if (r == 0 && process_tree_below(top, &below, &n, &capacity) == -ENOMEM)
		r = -ENOMEM;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_threads(trace, below[i]);
	return r;
}

/*
 * The kernel chooses threads, not processes. One that is not chosen yet may make another before it is. Without any choice the
 * kernel would record everybody.
 */
static int choose_tree(const struct tracer *tracer, struct record_trace *trace, int32_t top)
{
	size_t chosen = trace->n_pids;
	int r = 0;

	for (int round = 0; r == 0 && round < ROUNDS_MAX; round++) {
		r = add_tree(trace, top);
		if (r < 0 || trace->n_pids == chosen)
			break;
		r = choose(tracer, trace->pids + chosen, trace->n_pids - chosen);
		chosen = trace->n_pids;
	}
	return r == 0 && chosen == 0 ? -ESRCH : r;
}

/* Switches the events of the tree on. */
static int follow(struct tracer *tracer, bool everybody)
{
	int r = 0;

	for (enum kind kind = tracer->only_added ? EVENT_ADDED : 0; r == 0 && kind < EVENT_MARK; kind++)
		r = enable(&tracer->tree, kind);
	for (enum kind kind = EVENT_SWITCH; r == 0 && tracer->moments && kind < EVENT_ISSUE; kind++)
		if (!everybody || kind != EVENT_CALL)
			r = enable(&tracer->tree, kind);
	return r;
}

/* A profile is as good without, a timeline would look complete and not be. */
static int enable_disks(struct tracer *tracer)
{
	int r = tracer->disks.instance ? enable(&tracer->disks, EVENT_ISSUE) : 0;

	if (r == 0 && tracer->disks.instance)
		r = enable(&tracer->disks, EVENT_COMPLETE);
	if (r < 0)
		ring_release(&tracer->disks);
	return tracer->moments ? r : 0;
}

static int forget_events(struct tracer *tracer)
{
	struct record_trace before = {0};
	int r = tracer_drain(tracer, &before);

	record_trace_release(&before);
	return r;
}

int tracer_attach(struct tracer *tracer, struct record_trace *trace, int32_t top)
{
	int r = forget_events(tracer);

	if (r == 0)
		r = top ? choose_tree(tracer, trace, top) : 0;
	if (r == 0)
		r = follow(tracer, !top);
	return r < 0 ? r : enable_disks(tracer);
}

/* What threads and disks do. */
static int enable_everybody(struct tracer *tracer, const char *except)
{
	static const enum kind kinds[] = {
		EVENT_SWITCH, EVENT_WAKING, EVENT_NEW, EVENT_ASKED, EVENT_ISSUE, EVENT_COMPLETE, EVENT_GROUP};
	int r = leave_out(&tracer->disks, EVENT_ASKED, except);

	for (size_t i = 0; r == 0 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (tracer->decoder.events[kinds[i]].format)
			r = enable(&tracer->disks, kinds[i]);
	return r;
}

int tracer_attach_everybody(struct tracer *tracer, const char *except)
{
	int r = forget_events(tracer);

	for (enum kind kind = tracer->only_added ? EVENT_ADDED : 0; r == 0 && kind <= EVENT_EXEC; kind++) {
		r = leave_out(&tracer->tree, kind, except);
		if (r == 0)
			r = enable(&tracer->tree, kind);
	}
	if (r == 0 && tracer->moments && tracer->disks.instance && enable_everybody(tracer, except) < 0)
		ring_release(&tracer->disks);
	return r;
}

int tracer_follow(struct tracer *tracer, struct record_trace *trace, int32_t *ret_pid)
{
	int r = tracer_drain(tracer, trace);

	if (r < 0)
		return r;
	if (!tracer->marked_by)
		return -ESRCH;
	r = record_trace_add_pid(trace, tracer->marked_by);
	if (r == 0)
		r = choose(tracer, &tracer->marked_by, 1);
	if (r == 0)
		r = follow(tracer, false);
	if (r == 0)
		r = enable_disks(tracer);
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
