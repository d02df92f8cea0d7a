/* SPDX-License-Identifier: MIT */
#include "record/timelines/source.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "device/device.h"
#include "record/names/mounts.h"

#define DISKS_MAX 64

/* A partition, and the disk that it is on. */
struct partition {
	uint32_t device, disk; /* major << 20 | minor */
};

static dev_t unpack(uint32_t device)
{
	return makedev(device >> 20, device & 0xfffff);
}

static int index_names(struct timeline_source *source, const struct record_files *files)
{
	source->files = files;
	for (size_t i = 0; i < files->count; i++) {
		const struct record_file *file = &files->items[i];
		int r = 0;

		if (file->inode && !file->ambiguous)
			r = inode_map_add(&source->map, file->device, file->inode, i);
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
	struct timeline_source *source = context;
	size_t index = inode_map_find(&source->map, device, inode);
	char name[DEVICE_NAME_MAX];

	if (index == INODE_MAP_NONE)
		index = inode_map_find(&source->map, 0, inode);
	if (index != INODE_MAP_NONE) {
		ret->kind = source->files->items[index].kind == PROFILE_DIRECTORY ? TIMELINE_METADATA
										  : TIMELINE_REGULAR;
		ret->path = source->files->items[index].path;
		ret->pages = source->files->items[index].pages;
	} else if (device >> 20 == 0 && inode <= UINT32_MAX &&
		device_block_name(unpack((uint32_t)inode), name) == 0) {
		snprintf(source->path, sizeof(source->path), "/dev/%s", name);
		ret->kind = TIMELINE_METADATA;
		ret->path = source->path;
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

bool timeline_source_is_narrow(const char *path)
{
	_cleanup_close_ int fd = open_regular(path, OPEN_KEEP_ATIME);
	unsigned char ident[EI_NIDENT];

	return fd >= 0 && pread(fd, ident, sizeof(ident), 0) == (ssize_t)sizeof(ident) &&
		memcmp(ident, ELFMAG, SELFMAG) == 0 && ident[EI_CLASS] == ELFCLASS32;
}

static int add_exec(struct record_trace *trace, const struct record_exec *exec)
{
	const struct timeline_moment moment = {.time = exec->time,
		.thread = exec->pid,
		.kind = MOMENT_EXEC,
		.flags = timeline_source_is_narrow(exec->path) ? MOMENT_NARROW : 0};

	return record_trace_add_moment(trace, &moment);
}

static int take_execs(struct record_trace *trace, struct timeline_remark **ret)
{
	int r = 0;

	*ret = calloc(trace->n_execs + 1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	for (size_t i = 0; i < trace->n_execs; i++)
		(*ret)[i] = (struct timeline_remark){.time = trace->execs[i].time,
			.tid = trace->execs[i].pid,
			.text = trace->execs[i].path};
	for (size_t i = 0; r == 0 && i < trace->n_execs; i++)
		r = add_exec(trace, &trace->execs[i]);
	return r;
}

int timeline_source_make(struct record_trace *trace, const struct record_files *files,
	const struct record_disks *disks, struct timeline_source *ret, struct timeline_events *events)
{
	int r = index_names(ret, files);

	if (r == 0)
		r = take_requests(disks, &ret->requests, &events->n_requests);
	if (r == 0)
		r = take_execs(trace, &ret->execs);
	if (r < 0)
		return r;
	find_disks(trace);
	events->moments = trace->moments;
	events->n_moments = trace->n_moments;
	events->requests = ret->requests;
	events->execs = ret->execs;
	events->n_execs = trace->n_execs;
	events->name = name_file;
	events->context = ret;
	return 0;
}

int timeline_source_append(
	struct record_trace *to, const struct timeline_moment *moments, size_t n, bool no_calls)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct timeline_moment asleep = {.time = moments[i].time - 1,
			.thread = moments[i].thread,
			.kind = MOMENT_CALL,
			.call = MOMENT_NO_CALL};

		if (no_calls && moments[i].kind == MOMENT_SWITCH && (moments[i].state & MOMENT_SLEEPS))
			r = record_trace_add_moment(to, &asleep);
		if (r == 0)
			r = record_trace_add_moment(to, &moments[i]);
	}
	return r;
}

void timeline_source_release(struct timeline_source *source)
{
	inode_map_release(&source->map);
	free(source->requests);
	free(source->execs);
}
