/* SPDX-License-Identifier: MIT */
#include "record/running/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/inode-map.h"
#include "base/run/descriptors.h"
#include "base/run/process-tree.h"
#include "base/times.h"
#include "record/events/tracer.h"
#include "record/follow/open-files.h"
#include "record/follow/pages/page-tables.h"
#include "record/names/mounts.h"
#include "record/names/opens.h"
#include "record/restore/restore.h"

#define POLL_MS    40
#define DRAINS_MAX 16

struct attached {
	struct restore restore;
	struct mounts mounts;
	struct tracer *tracer;
	struct opens opens;
	struct record_trace trace;
	struct inode_map named; /* mapped files that were looked at */
	int32_t pid;            /* whose files are looked at */
	int mountinfo;          /* polls as an error when something was mounted */
};

static void attached_release(struct attached *attached)
{
	tracer_free(attached->tracer);
	restore_release(&attached->restore);
	opens_release(&attached->opens);
	mounts_release(&attached->mounts);
	record_trace_release(&attached->trace);
	inode_map_release(&attached->named);
	if (attached->mountinfo >= 0)
		close(attached->mountinfo);
}

static int name_mapping(void *context, const struct page_mapping *mapping)
{
	struct attached *attached = context;
	_cleanup_close_ int fd = -1;
	int r;

	if (inode_map_find(&attached->named, mapping->device, mapping->inode) != INODE_MAP_NONE)
		return 0;
	r = inode_map_add(&attached->named, mapping->device, mapping->inode, 0);
	fd = page_tables_open_file(attached->pid, mapping);
	return r < 0 || fd < 0 ? r : opens_add(&attached->opens, fd, attached->pid, NULL);
}

static int name_open(void *context, int fd, uint64_t bytes)
{
	struct attached *attached = context;

	(void)bytes;
	return opens_add(&attached->opens, fd, attached->pid, NULL);
}

/* What was opened before we came. */
static int name_files(struct attached *attached, int32_t top)
{
	_cleanup_free_ pid_t *pids = NULL;
	size_t n = 0, capacity = 0;
	int r = top ? ARRAY_RESERVE(pids, capacity, 1) : 0;

	if (r == 0 && top) {
		pids[n++] = top;
		r = process_tree_below(top, &pids, &n, &capacity);
	}
	for (size_t i = 0; r != -ENOMEM && i < n; i++) {
		attached->pid = pids[i];
		r = page_tables_mappings(pids[i], 0, UINT64_MAX, name_mapping, attached);
		if (r != -ENOMEM)
			r = open_files_each(pids[i], name_open, attached);
	}
	return r == -ENOMEM ? r : 0;
}

static int set_up(struct attached *attached, const struct attach_options *options, enum record_step *step)
{
	int r;

	*step = RECORD_STEP_TRACEFS;
	r = restore_init(&attached->restore);
	if (r < 0)
		return r;
	*step = RECORD_STEP_MOUNTS;
	attached->mountinfo = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	r = mounts_read(&attached->mounts);
	if (r < 0)
		return r;
	*step = RECORD_STEP_TRACER;
	r = restore_begin(&attached->restore); /* the guard; no read-ahead was chosen */
	if (r == 0)
		r = tracer_open(attached->restore.tracefs, attached->restore.instance,
			&(struct tracer_options){.moments = true}, &attached->tracer);
	if (r < 0)
		return r;
	/* Without fanotify only what is open now has a name. */
	attached->opens.bounded = true;
	if (opens_start(&attached->opens, &attached->mounts) == -ENOMEM)
		return -ENOMEM;
	r = tracer_attach(attached->tracer, &attached->trace, options->top);
	if (r == 0 && options->begun)
		r = options->begun(options->context);
	return r == 0 ? name_files(attached, options->top) : r;
}

/* Where much is opened, some of it waits for the next time. */
static int drain_opens(struct attached *attached)
{
	struct pollfd opened = {.fd = attached->opens.fd, .events = POLLIN};
	int r = 0;

	for (int times = 0; r == 0 && times < DRAINS_MAX && poll(&opened, 1, 0) > 0; times++)
		r = opens_drain(&attached->opens, &attached->trace);
	attached->trace.lost |= attached->opens.dropped;
	attached->opens.dropped = false;
	return r;
}

static int watch(struct attached *attached, const struct attach_options *options)
{
	struct record_seen seen = {.trace = &attached->trace, .files = &attached->opens.files};
	struct pollfd mounted = {.fd = attached->mountinfo, .events = POLLPRI};
	int r = 0;

	while (r == 0) {
		/* A signal ends it early. */
		if (poll(&mounted, 1, POLL_MS) > 0)
			r = opens_mark_again(&attached->opens, &attached->mounts);
		seen.complete = monotonic_ns();
		if (r == 0)
			r = tracer_drain(attached->tracer, &attached->trace);
		/* Of the machine no process is ours, so no mount namespace of any is kept. */
		if (!options->top)
			attached->trace.n_pids = 0;
		if (r == 0)
			r = drain_opens(attached);
		if (r == 0)
			r = opens_forget(&attached->opens, OPENS_PLENTY);
		if (r == 0)
			r = options->watch(options->context, &seen);
	}
	return r < 0 ? r : 0;
}

int attach_run(const struct attach_options *options, enum record_step *ret_step)
{
	_cleanup_(attached_release) struct attached attached = {
		.restore = RESTORE_INIT, .opens = OPENS_INIT, .mountinfo = -1};
	int r, restored;

	descriptors_allow_all();
	r = set_up(&attached, options, ret_step);
	if (r == 0) {
		*ret_step = RECORD_STEP_RECORD;
		r = watch(&attached, options);
	}
	tracer_free(TAKE_PTR(attached.tracer));
	restored = restore_end(&attached.restore);
	if (r == 0 && restored < 0)
		*ret_step = RECORD_STEP_RESTORE;
	return r ? r : restored;
}
