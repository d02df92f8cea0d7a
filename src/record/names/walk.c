/* SPDX-License-Identifier: MIT */
/*
 * Finds names for inodes without fanotify, by looking at every file of the file systems that have events. This is slow,
 * and done only where there is no better way.
 */
#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/inode-map.h"
#include "base/strings.h"
#include "record/names/resolve.h"

static void close_walkp(FTS **walk)
{
	if (*walk)
		fts_close(*walk);
}

static int add_named(struct record_files *files, const FTSENT *entry, uint32_t device)
{
	struct record_file *file;
	int r = record_files_add(files, &file);

	if (r < 0)
		return r;
	file->path = strdup(entry->fts_accpath);
	if (!file->path) {
		files->count--;
		return -ENOMEM;
	}
	file->kind = PROFILE_REGULAR;
	file->device = device;
	file->inode = entry->fts_statp->st_ino;
	file->st_dev = entry->fts_statp->st_dev;
	return 0;
}

/* Takes the wanted inodes below one mount; each is taken once, however many links it has. */
static int walk_mount(struct record_files *files, struct inode_map *named, const struct inode_map *wanted,
	const struct mount *mount)
{
	char *const roots[] = {mount->point, NULL};
	_cleanup_(close_walkp) FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, NULL);
	uint32_t device = streq(mount->type, "overlay") ? 0 : mount->device;
	FTSENT *entry;
	int r = walk ? 0 : -errno;

	while (r == 0 && (entry = fts_read(walk))) {
		if (entry->fts_info != FTS_F ||
			inode_map_find(wanted, mount->device, entry->fts_statp->st_ino) == INODE_MAP_NONE ||
			inode_map_find(named, mount->device, entry->fts_statp->st_ino) != INODE_MAP_NONE)
			continue;
		r = inode_map_add(named, mount->device, entry->fts_statp->st_ino, files->count);
		if (r == 0)
			r = add_named(files, entry, device);
	}
	return r;
}

static bool is_wanted(const struct inode_map *wanted, const struct mount *mount)
{
	for (size_t i = 0; i < wanted->n_slots; i++)
		if (wanted->slots[i].index != INODE_MAP_NONE && wanted->slots[i].device == mount->device)
			return true;
	return false;
}

int resolve_by_walking(
	struct record_files *files, const struct record_trace *trace, const struct mounts *mounts)
{
	_cleanup_(inode_map_releasep) struct inode_map wanted = {0}, named = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < trace->n_events; i++)
		r = inode_map_add(&wanted, trace->events[i].device, trace->events[i].inode, 0);
	for (size_t i = 0; r == 0 && i < mounts->count; i++)
		if (is_wanted(&wanted, &mounts->items[i]))
			r = walk_mount(files, &named, &wanted, &mounts->items[i]);
	return r;
}
