/* SPDX-License-Identifier: MIT */
/* Makes the timeline of what a recording has gathered: names of files, numbers of disks, the end of the start. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/inode-map.h"
#include "base/strings.h"
#include "device/device.h"
#include "record/session.h"
#include "timeline/build.h"

#define DISKS_MAX 64
#define ENDED     0x30u /* struct timeline_moment.state */

/* A partition, and the disk that it is on. */
struct partition {
	uint32_t device, disk; /* major << 20 | minor */
};

struct names {
	const struct record_files *files;
	struct inode_map map;
	char path[16 + DEVICE_NAME_MAX]; /* of the last block device that was named */
};

static void names_release(struct names *names)
{
	inode_map_release(&names->map);
}

static dev_t unpack(uint32_t device)
{
	return makedev(device >> 20, device & 0xfffff);
}

static int names_init(struct names *names, const struct record_files *files)
{
	names->files = files;
	for (size_t i = 0; i < files->count; i++) {
		const struct record_file *file = &files->items[i];
		int r = 0;

		if (file->inode && !file->ambiguous)
			r = inode_map_add(&names->map, file->device, file->inode, i);
		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * A file that was opened, or the cache of a disk itself, which has the blocks of the file system's own data: there the
 * number of the inode is that of the disk (block/bdev.c).
 */
static void name_file(void *context, uint32_t device, uint64_t inode, struct timeline_named *ret)
{
	struct names *names = context;
	size_t index = inode_map_find(&names->map, device, inode);
	char name[DEVICE_NAME_MAX];

	if (index == INODE_MAP_NONE)
		index = inode_map_find(&names->map, 0, inode);
	if (index != INODE_MAP_NONE) {
		ret->kind = names->files->items[index].kind == PROFILE_DIRECTORY ? TIMELINE_METADATA
										 : TIMELINE_REGULAR;
		ret->path = names->files->items[index].path;
		ret->pages = names->files->items[index].pages;
	} else if (device >> 20 == 0 && inode <= UINT32_MAX &&
		device_block_name(unpack((uint32_t)inode), name) == 0) {
		snprintf(names->path, sizeof(names->path), "/dev/%s", name);
		ret->kind = TIMELINE_METADATA;
		ret->path = names->path;
	}
}

/* The kernel tells the place on the whole disk, but names the partition. */
static void find_disks(struct record_trace *trace)
{
	struct partition known[DISKS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < trace->n_moments; i++) {
		struct timeline_moment *moment = &trace->moments[i];
		size_t at = 0;

		if (moment->kind != MOMENT_ASKED)
			continue;
		while (at < n && known[at].device != moment->disk)
			at++;
		if (at == n && n < DISKS_MAX) {
			dev_t disk = device_whole_disk(unpack(moment->disk));

			known[n++] = (struct partition){
				moment->disk, mounts_pack_device(major(disk), minor(disk))};
		}
		if (at < n)
			moment->disk = known[at].disk;
	}
}

static int take_requests(const struct record_disks *disks, struct timeline_request **ret, size_t *ret_n)
{
	struct timeline_request *requests;
	size_t n = 0;

	for (size_t i = 0; i < disks->n; i++)
		n += disks->items[i].n;
	requests = calloc(n + 1, sizeof(*requests));
	if (!requests)
		return -ENOMEM;
	*ret_n = n;
	*ret = requests;
	for (size_t i = 0; i < disks->n; i++)
		for (size_t j = 0; j < disks->items[i].n; j++) {
			const struct device_read *read = &disks->items[i].reads[j];

			*requests++ = (struct timeline_request){.issued = read->issued,
				.done = read->done,
				.offset = read->offset,
				.bytes = read->bytes,
				.disk = disks->items[i].device};
		}
	return 0;
}

static int take_execs(const struct record_trace *trace, struct timeline_remark **ret)
{
	*ret = calloc(trace->n_execs + 1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	for (size_t i = 0; i < trace->n_execs; i++)
		(*ret)[i] = (struct timeline_remark){.time = trace->execs[i].time,
			.tid = trace->execs[i].pid,
			.text = trace->execs[i].path};
	return 0;
}

/* The start is over when its milestone is reached: not when we notice that everybody has ended or is idle. */
static uint64_t end_of(const struct session *session, uint64_t noticed)
{
	const struct record_trace *trace = &session->trace;
	uint64_t last = 0;

	if (streq(session->milestone, "idle"))
		return (uint64_t)(session->last_event * 1e9);
	if (!streq(session->milestone, "exit"))
		return noticed;
	for (size_t i = 0; i < trace->n_moments; i++)
		if (trace->moments[i].kind == MOMENT_SWITCH && (trace->moments[i].state & ENDED) &&
			trace->moments[i].time > last)
			last = trace->moments[i].time;
	return last && last < noticed ? last : noticed;
}

static int describe(
	const struct session *session, const struct record_result *result, struct timeline *timeline)
{
	const struct profile *profile = &result->profile;

	timeline->command = strdup(profile->command);
	timeline->program = strdup(profile->program);
	timeline->kernel = strdup(profile->kernel);
	timeline->ended_by = strdup(profile->milestone);
	timeline->recorded = profile->recorded;
	timeline->lost = session->trace.lost || session->trace.requests_lost;
	if (!timeline->command || !timeline->program || !timeline->kernel || !timeline->ended_by)
		return -ENOMEM;
	return timeline_add_mark(timeline, timeline->duration, timeline->ended_by);
}

/* What headstart does when the program has ended already does not belong to the start. */
static int end_sooner(struct timeline_events *events, struct timeline *timeline)
{
	uint64_t end;
	int r = timeline_find_end(timeline, &end);

	if (r < 0 || end == timeline->duration)
		return r;
	timeline_release(timeline);
	events->ended = events->began + end;
	return timeline_build(events, timeline);
}

int session_make_timeline(struct session *session, struct record_result *result)
{
	_cleanup_free_ struct timeline_request *requests = NULL;
	_cleanup_free_ struct timeline_remark *execs = NULL;
	_cleanup_(names_release) struct names names = {0};
	struct timeline_events events = {
		.moments = session->trace.moments,
		.n_moments = session->trace.n_moments,
		.n_execs = session->trace.n_execs,
		.waits = session->sleepers.remarks,
		.n_waits = session->sleepers.n_remarks,
		.began = (uint64_t)(session->started * 1e9),
		.first = session->first,
		.page_size = result->profile.page_size,
		.name = name_file,
		.context = &names,
	};
	int r = names_init(&names, &session->opens.files);

	if (r == 0)
		r = take_requests(&result->disks, &requests, &events.n_requests);
	if (r == 0)
		r = take_execs(&session->trace, &execs);
	if (r < 0)
		return r;
	find_disks(&session->trace);
	events.requests = requests;
	events.execs = execs;
	events.ended = end_of(session, events.began + (uint64_t)(result->seconds * 1e9));
	r = timeline_build(&events, &result->timeline);
	if (r == 0 && streq(session->milestone, "exit"))
		r = end_sooner(&events, &result->timeline);
	return r < 0 ? r : describe(session, result, &result->timeline);
}
