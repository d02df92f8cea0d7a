/* SPDX-License-Identifier: MIT */
/* Pages of disks, by the file systems on them. */
#include "record/profiles/metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "device/file-system.h"
#include "profile/metadata.h"

static bool is_without_disk(uint32_t device)
{
	return device >> 20 == 0;
}

/* Whether a file system is mounted from the disk whose number the inode has. */
static bool is_disk(const struct mounts *mounts, uint64_t inode)
{
	return inode <= UINT32_MAX && !is_without_disk((uint32_t)inode) &&
		mounts_has_device(mounts, (uint32_t)inode);
}

uint32_t metadata_find_device(const struct record_trace *trace, const struct mounts *mounts)
{
	uint32_t lowest = UINT32_MAX;

	for (size_t i = 0; i < trace->n_events; i++) {
		const struct record_event *event = &trace->events[i];

		if (event->kind == RECORD_ADDED && event->device < lowest && is_without_disk(event->device) &&
			!mounts_has_device(mounts, event->device) && is_disk(mounts, event->inode))
			lowest = event->device;
	}
	return lowest;
}

/* The file systems on disks: their ids are asked for once. */
struct disks {
	struct {
		uint32_t device;
		uint64_t id; /* 0: it has none */
	} * items;           /* owned; one for each mount from a disk */
	size_t n;
};

static uint64_t id_of(const struct mount *mount)
{
	_cleanup_close_ int fd = open(mount->point, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct device_file_system found;

	/* Another file system may be mounted over it. */
	if (fd < 0 || device_file_system(fd, &found) < 0 ||
		mounts_pack_device(major(found.number), minor(found.number)) != mount->device)
		return 0;
	return found.id;
}

static int find_disks(const struct mounts *mounts, struct disks *ret)
{
	struct disks disks = {.items = calloc(mounts->count + 1, sizeof(*disks.items))};

	if (!disks.items)
		return -ENOMEM;
	for (size_t i = 0; i < mounts->count; i++) {
		const struct mount *mount = &mounts->items[i];
		uint64_t id = is_without_disk(mount->device) ? 0 : id_of(mount);

		if (!id)
			continue;
		disks.items[disks.n].device = mount->device;
		disks.items[disks.n++].id = id;
	}
	*ret = disks;
	return 0;
}

static uint64_t id_of_disk(const struct disks *disks, uint64_t inode)
{
	for (size_t i = 0; i < disks->n; i++)
		if (disks->items[i].device == inode)
			return disks->items[i].id;
	return 0;
}

int metadata_add(const struct record_trace *trace, const struct mounts *mounts, struct profile *into)
{
	uint32_t device = metadata_find_device(trace, mounts);
	struct disks disks = {0};
	int r = device == UINT32_MAX ? 0 : find_disks(mounts, &disks);

	for (size_t i = 0; r == 0 && disks.n > 0 && i < trace->n_events; i++) {
		const struct record_event *event = &trace->events[i];
		uint64_t id = event->device == device && event->kind == RECORD_ADDED
			? id_of_disk(&disks, event->inode)
			: 0;

		if (id)
			r = profile_add_metadata(into, id,
				(struct profile_block_range){event->first, event->last - event->first + 1});
	}
	free(disks.items);
	return r;
}
