/* SPDX-License-Identifier: MIT */
/* loop(4); the attribute loop/backing_file of a loop device. */
#include "record/names/image.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/major.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"

/* The time of the first event on the device; 0 if there is none. */
static uint64_t first_event_on(const struct record_trace *trace, uint32_t device)
{
	uint64_t first = 0;

	for (size_t i = 0; i < trace->n_events; i++)
		if (trace->events[i].device == device && (!first || trace->events[i].time < first))
			first = trace->events[i].time;
	return first;
}

/* Reads where the kernel says that the image lies, in the namespace in which it was attached. */
static int read_backing_file(int sysfs, uint32_t device, char path[PATH_MAX])
{
	char attribute[64];
	_cleanup_close_ int fd = -1;
	ssize_t n;

	snprintf(attribute, sizeof(attribute), "dev/block/%u:%u/loop/backing_file", device >> 20,
		device & 0xfffff);
	fd = openat(sysfs, attribute, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -errno : read_full(fd, path, PATH_MAX - 1);
	if (n <= 0)
		return n < 0 ? (int)n : -ENOENT;
	path[n] = 0;
	path[strcspn(path, "\n")] = 0;
	return 0;
}

static const struct record_file *find_path(const struct record_files *files, const char *path)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->items[i].kind == PROFILE_REGULAR && streq(files->items[i].path, path))
			return &files->items[i];
	return NULL;
}

/* The image under its name in our namespace, if the command's tree has opened it. */
static const struct record_file *find_image(
	const struct opens *opens, const struct view *view, int sysfs, uint32_t device)
{
	const struct record_file *inside;
	char path[PATH_MAX];
	size_t index;

	if (read_backing_file(sysfs, device, path) < 0)
		return NULL;
	inside = find_path(&view->files, path);
	if (!inside)
		return find_path(&opens->files, path);
	index = inode_map_find(&opens->known,
		mounts_pack_device(major(inside->st_dev), minor(inside->st_dev)), inside->inode);
	return index == INODE_MAP_NONE ? NULL : &opens->files.items[index];
}

/* As if all pages had entered the page cache, and the resident ones been mapped. */
static int add_events(struct record_trace *trace, const struct record_file *image, uint64_t time)
{
	struct record_event event = {
		.time = time,
		.device = image->device,
		.inode = image->inode,
		.last = UINT32_MAX - 1,
		.kind = RECORD_ADDED,
	};
	int r = record_trace_add_event(trace, &event);

	event.kind = RECORD_MAPPED;
	return r < 0 ? r : record_trace_add_event(trace, &event);
}

static int add_image(const struct opens *opens, const struct view *view, uint32_t device, int sysfs,
	struct record_trace *trace)
{
	uint64_t time = device >> 20 == LOOP_MAJOR ? first_event_on(trace, device) : 0;
	const struct record_file *image = time ? find_image(opens, view, sysfs, device) : NULL;

	return image ? add_events(trace, image, time) : 0;
}

int images_add_events(const struct opens *opens, int sysfs, struct record_trace *trace)
{
	int r = 0;

	for (size_t i = 0; i < opens->views.count; i++) {
		const struct view *view = &opens->views.items[i];

		for (size_t j = 0; r == 0 && j < view->mounts.count; j++)
			if (!mounts_has_device(opens->mounts, view->mounts.items[j].device))
				r = add_image(opens, view, view->mounts.items[j].device, sysfs, trace);
	}
	return r;
}
