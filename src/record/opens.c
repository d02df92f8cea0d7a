/* SPDX-License-Identifier: MIT */
/* An event comes with a descriptor of the opened file; /proc/self/fd gives its name. */
#include "record/opens.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "base/times.h"

/* O_NONBLOCK: opening a FIFO must not wait for its other end. */
#define EVENT_FLAGS (O_RDONLY | O_LARGEFILE | O_CLOEXEC | O_NONBLOCK | O_NOATIME)

static void mark_mount(int fd, const struct mount *mount)
{
	struct statx status;

	/* A mount that is covered by another one cannot be reached by its path. */
	if (statx(AT_FDCWD, mount->point, AT_STATX_DONT_SYNC, STATX_MNT_ID, &status) < 0 ||
		(status.stx_mask & STATX_MNT_ID && status.stx_mnt_id != mount->id))
		return;
	fanotify_mark(fd, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, FAN_OPEN | FAN_ONDIR, AT_FDCWD, mount->point);
}

int opens_start(struct opens *opens, const struct mounts *mounts)
{
	opens->mounts = mounts;
	opens->fd = fanotify_init(
		FAN_CLASS_NOTIF | FAN_UNLIMITED_QUEUE | FAN_UNLIMITED_MARKS | FAN_CLOEXEC | FAN_NONBLOCK,
		EVENT_FLAGS);
	if (opens->fd < 0)
		return -errno;
	for (size_t i = 0; i < mounts->count; i++)
		mark_mount(opens->fd, &mounts->items[i]);
	return 0;
}

/* The name, if it leads back to the same file. Deleted files and those of other mount namespaces have none. */
static char *name_of(int fd, const struct statx *status)
{
	char link[64], path[PATH_MAX];
	struct stat named;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0 || path[0] != '/')
		return NULL;
	path[length] = 0;
	if (lstat(path, &named) < 0 || named.st_ino != status->stx_ino ||
		named.st_dev != makedev(status->stx_dev_major, status->stx_dev_minor))
		return NULL;
	return strdup(path);
}

/*
 * The superblock's device, which the kernel's events name. 0 on overlayfs, whose files have the device of another file
 * system.
 */
static uint32_t superblock_of(const struct opens *opens, const struct statx *status)
{
	const struct mount *mount =
		status->stx_mask & STATX_MNT_ID ? mounts_find(opens->mounts, status->stx_mnt_id) : NULL;

	if (mount && streq(mount->type, "overlay"))
		return 0;
	return mount ? mount->device : mounts_pack_device(status->stx_dev_major, status->stx_dev_minor);
}

static int add_file(struct opens *opens, int fd, const struct statx *status, uint32_t key, bool by_tree)
{
	_cleanup_free_ char *path = name_of(fd, status);
	struct record_file *file;
	int r;

	if (!path)
		return 0;
	r = inode_map_add(&opens->known, key, status->stx_ino, opens->files.count);
	if (r == 0)
		r = record_files_add(&opens->files, &file);
	if (r < 0)
		return r;
	*file = (struct record_file){
		.path = TAKE_PTR(path),
		.kind = S_ISDIR(status->stx_mode) ? PROFILE_DIRECTORY : PROFILE_REGULAR,
		.device = superblock_of(opens, status),
		.inode = status->stx_ino,
		.opened = monotonic_ns(),
		.by_tree = by_tree,
		.st_dev = makedev(status->stx_dev_major, status->stx_dev_minor),
	};
	return 0;
}

static bool is_in_tree(const struct opens *opens, int32_t pid)
{
	if (opens->everybody)
		return pid != 0;
	return inode_map_find(&opens->tree, 0, (uint64_t)pid) != INODE_MAP_NONE;
}

static int take_event(struct opens *opens, int fd, int32_t pid)
{
	bool by_tree = is_in_tree(opens, pid);
	struct record_file *file;
	struct statx status;
	uint32_t key;
	size_t index;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_MNT_ID, &status) < 0 ||
		!(S_ISREG(status.stx_mode) || S_ISDIR(status.stx_mode)))
		return 0;
	key = mounts_pack_device(status.stx_dev_major, status.stx_dev_minor);
	index = inode_map_find(&opens->known, key, status.stx_ino);
	if (index == INODE_MAP_NONE)
		return add_file(opens, fd, &status, key, by_tree);
	file = &opens->files.items[index];
	if (by_tree && !file->by_tree) {
		file->by_tree = true;
		file->opened = monotonic_ns();
	}
	return 0;
}

static int learn_tree(struct opens *opens, const struct record_trace *trace)
{
	int r = 0;

	for (; r == 0 && opens->n_pids_seen < trace->n_pids; opens->n_pids_seen++)
		r = inode_map_add(&opens->tree, 0, (uint64_t)trace->pids[opens->n_pids_seen], 0);
	return r;
}

int opens_drain(struct opens *opens, const struct record_trace *trace)
{
	_Alignas(struct fanotify_event_metadata) char buffer[16384];
	int r = learn_tree(opens, trace);
	ssize_t size;

	while (r == 0 && opens->fd >= 0 && (size = read(opens->fd, buffer, sizeof(buffer))) > 0) {
		const struct fanotify_event_metadata *event = (const void *)buffer;

		for (; FAN_EVENT_OK(event, size); event = FAN_EVENT_NEXT(event, size)) {
			if (event->fd < 0)
				continue;
			if (r == 0 && event->pid != getpid())
				r = take_event(opens, event->fd, event->pid);
			close(event->fd);
		}
	}
	return r;
}

void opens_release(struct opens *opens)
{
	if (opens->fd >= 0)
		close(opens->fd);
	inode_map_release(&opens->known);
	inode_map_release(&opens->tree);
	record_files_release(&opens->files);
	*opens = (struct opens)OPENS_INIT;
}
