/* SPDX-License-Identifier: MIT */
/* An event comes with a descriptor of the opened file; /proc/self/fd gives its name. */
#include "record/names/opened.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/links.h"
#include "base/files/same-file.h"
#include "base/paths/stranger.h"
#include "base/run/process-tree.h"
#include "base/strings.h"
#include "base/times.h"
#include "record/names/marks.h"
#include "record/names/name-here.h"

#define ANCESTORS_MAX 16         /* that are looked for in the tree */
#define MISSED_FOR    1000000000 /* nanoseconds */
#define MISSED_MAX    64         /* mounts in that time */

/* An opened file, as an event describes it. */
struct opening {
	int fd;              /* borrowed */
	char path[PATH_MAX]; /* its name in the mount namespace of `pid`; "" until read_path() */
	struct statx status;
	uint32_t key; /* st_dev, packed */
	int32_t pid;
	bool by_tree;
	bool own;                  /* as record_file.own */
	const struct mount *mount; /* that it was opened on; NULL if it is not known */
	bool trusted;              /* that mount belongs to a view that is trusted */
	dev_t named;               /* the st_dev under the name that it has in our namespace */
};

/* This and what follows for a known file are all that most events cost. */
static bool describe(struct opening *opening, bool careful)
{
	struct statx *status = &opening->status;
	int flags = AT_EMPTY_PATH | (careful ? AT_STATX_DONT_SYNC : 0);

	if (statx(opening->fd, "", flags, STATX_BASIC_STATS | STATX_MNT_ID, status) < 0 ||
		!(S_ISREG(status->stx_mode) || S_ISDIR(status->stx_mode)))
		return false;
	opening->own = opening->trusted = false;
	opening->path[0] = 0;
	opening->key = mounts_pack_device(status->stx_dev_major, status->stx_dev_minor);
	opening->named = makedev(status->stx_dev_major, status->stx_dev_minor);
	return true;
}

static void read_path(struct opening *opening)
{
	if (!opening->path[0])
		(void)path_of_fd(opening->fd, opening->path);
}

/* Names of files in other namespaces may lead to servers here. What was just opened is in the kernel's cache of names. */
static bool looks_in_cache(const struct opens *opens)
{
	return opens->careful || opens->local;
}

/* The name, if it leads back to the same file. Deleted files and those of other mount namespaces have none. */
static char *name_of(const struct opens *opens, const struct opening *opening)
{
	if (opening->path[0] != '/' || !path_leads_to(opening->path, &opening->status, looks_in_cache(opens)))
		return NULL;
	return strdup(opening->path);
}

/*
 * The superblock's device, which the kernel's events name. 0 on overlayfs, whose files have the device of another file
 * system.
 */
static uint32_t superblock_of(const struct opening *opening)
{
	if (opening->mount && streq(opening->mount->type, "overlay"))
		return 0;
	return opening->mount ? opening->mount->device : opening->key;
}

/* As far as a recording can name them. */
static uint64_t pages_of(const struct statx *status)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE), pages = status->stx_size / page_size;

	pages += status->stx_size % page_size != 0;
	return !S_ISREG(status->stx_mode) ? 0 : pages < UINT32_MAX ? pages : UINT32_MAX;
}

/* Bytes that a file with that name takes. */
static size_t size_of(const char *path)
{
	return sizeof(struct record_file) + strlen(path);
}

/* Adds the file. Takes `path`. */
static int add_file(struct opens *opens, struct record_files *files, struct inode_map *known,
	const struct opening *opening, char *path)
{
	const struct statx *status = &opening->status;
	struct record_file *file;
	int r;

	if (opens->bounded && opens->noted >= OPENS_NOTED_MAX) {
		opens->lost = true;
		free(path);
		return 0;
	}
	r = inode_map_add(known, opening->key, status->stx_ino, files->count);
	if (r == 0)
		r = record_files_add(files, &file);
	if (r < 0) {
		free(path);
		return r;
	}
	*file = (struct record_file){
		.path = path,
		.kind = S_ISDIR(status->stx_mode) ? PROFILE_DIRECTORY : PROFILE_REGULAR,
		.device = superblock_of(opening),
		.inode = status->stx_ino,
		.pages = opening->own ? pages_of(status) : 0,
		.opened = monotonic_ns(),
		.by_tree = opening->by_tree,
		.opener = opening->pid,
		.st_dev = opening->named,
		.own = opening->own,
	};
	opens->noted += size_of(path);
	return 0;
}

static bool is_known(
	const struct record_files *files, const struct inode_map *known, const struct opening *opening)
{
	size_t index = inode_map_find(known, opening->key, opening->status.stx_ino);
	struct record_file *file = index == INODE_MAP_NONE ? NULL : &files->items[index];

	if (file && !file->by_tree) {
		file->by_tree = opening->by_tree;
		file->opener = opening->pid;
		file->opened = monotonic_ns();
	}
	return file;
}

/* The file by its name in the view. */
static int add_inside(struct opens *opens, struct view *view, struct opening *opening)
{
	char *path;

	if (is_known(&view->files, &view->known, opening))
		return 0;
	read_path(opening);
	if (opening->path[0] != '/')
		return 0;
	path = strdup(opening->path);
	return path ? add_file(opens, &view->files, &view->known, opening, path) : -ENOMEM;
}

bool opened_in_tree(const struct opens *opens, int32_t pid)
{
	if (opens->everybody)
		return pid != 0;
	return inode_map_find(&opens->tree, 0, (uint64_t)pid) != INODE_MAP_NONE;
}

/* Adds a process to the tree if it is below us. Orphans become children of ours. A process that has been reaped already is not known any more. */
static int learn_process(struct opens *opens, int32_t pid)
{
	int32_t ancestor = pid, parent;

	for (unsigned i = 0; i < ANCESTORS_MAX && ancestor > 1; i++, ancestor = parent) {
		parent = process_parent(ancestor);
		if (opened_in_tree(opens, ancestor) ||
			(parent == getpid() && !process_tree_is_other(ancestor)))
			return inode_map_add(&opens->tree, 0, (uint64_t)pid, 0);
	}
	return 0;
}

/*
 * The process whose namespace is looked at, and kept for as long as we record: it belongs to the tree, or is going to, as soon
 * as we hear of it. Namespaces of others are not kept: their mounts could not be unmounted. Returns 0 for these.
 */
static int32_t whose_view(const struct opens *opens, int32_t pid)
{
	int32_t ancestor = pid;

	if (!opens->everybody && opens->tree.count == 0)
		return 0;
	for (unsigned i = 0; i < ANCESTORS_MAX && ancestor > 1; i++, ancestor = process_parent(ancestor))
		if (opened_in_tree(opens, ancestor))
			return pid;
	return 0;
}

/*
 * Whether the mount has been looked for in all of the tree just now, in vain, or too many others have. Every opening on a lower layer of
 * an overlay is on a mount that nobody has.
 */
static bool was_missed(struct opens *opens, uint64_t mount_id)
{
	uint64_t now = monotonic_ns();

	if (now - opens->missed_since >= MISSED_FOR) {
		inode_map_release(&opens->missed);
		opens->missed_since = now;
	}
	return opens->missed.count >= MISSED_MAX ||
		inode_map_find(&opens->missed, 0, mount_id) != INODE_MAP_NONE;
}

/* Finds the view that has the mount. If the process has ended, others of the tree may be left there. */
static int find_view(struct opens *opens, const struct opening *opening, uint64_t mount_id, struct view **ret)
{
	int r = views_find(&opens->views, mount_id, whose_view(opens, opening->pid), ret);

	if (r < 0 || *ret || kill(opening->pid, 0) == 0 || errno == EPERM || was_missed(opens, mount_id))
		return r;
	for (size_t i = 0; r == 0 && !*ret && i < opens->tree.n_slots; i++)
		if (opens->tree.slots[i].index != INODE_MAP_NONE)
			r = views_find(&opens->views, mount_id, (int32_t)opens->tree.slots[i].inode, ret);
	return r < 0 || *ret ? r : inode_map_add(&opens->missed, 0, mount_id, 0);
}

/*
 * The same file; or of an overlay the one in a lower layer, which has the device of another file system. Whoever makes a container often
 * mounts its overlay in our namespace as well, at a place that goes with the container. A daemon wants a name that stays.
 */
static char *name_by_mount(struct opens *opens, struct opening *opening)
{
	bool lasting = opens->careful && streq(opening->mount->type, "overlay");
	const struct statx *status = &opening->status;
	char *name = lasting ? NULL
			     : name_here_by_mount(opens->mounts, opening->mount, opening->path, status,
				       looks_in_cache(opens));
	struct statx named;

	if (name || !opening->trusted)
		return name;
	name = name_here_in_layer(opening->mount, opening->path, status, looks_in_cache(opens), &named);
	if (name)
		opening->named = makedev(named.stx_dev_major, named.stx_dev_minor);
	return name;
}

/* The name in our own namespace of a file that was opened in another one. */
static char *name_here(struct opens *opens, struct opening *opening)
{
	struct view *view;
	int32_t pid;
	char *name;

	if (!opening->mount)
		return name_here_below_mount(opens->mounts, opening->path, &opening->status,
			looks_in_cache(opens), &opening->mount);
	name = name_by_mount(opens, opening);
	pid = name ? 0 : whose_view(opens, opening->pid);
	if (!pid)
		return name;
	opening->mount = NULL; /* it goes if the table is read again */
	opening->trusted = false;
	if (views_look_at(&opens->views, pid) < 0 ||
		views_find(&opens->views, opening->status.stx_mnt_id, pid, &view) < 0 || !view)
		return NULL;
	opening->mount = mounts_find(&view->mounts, opening->status.stx_mnt_id);
	opening->trusted = view->trusted;
	return opening->mount ? name_by_mount(opens, opening) : NULL;
}

/* As opens->careful says. NULL: the file does not count, or there is no memory. */
static char *name_carefully(struct opens *opens, struct opening *opening, bool elsewhere)
{
	_cleanup_free_ char *name = elsewhere ? name_here(opens, opening) : NULL;
	const struct statx *status = &opening->status;
	struct stranger stranger;
	int r;

	if (elsewhere)
		return name && stranger_find_unasked(name, &stranger) == 0 ? TAKE_PTR(name) : NULL;
	r = stranger_find_unasked(opening->path, &stranger);
	if (r == 0)
		return name_of(opens, opening);
	/* Root's file there may lie in a folder that is closed to the owner, who could put something else in its place and see what is looked up. */
	if (r != -EPERM || !opens->owner || opens->n_own >= OPENS_OWN_MAX || stranger.owner != opens->owner ||
		status->stx_nlink == 0 || status->stx_uid != opens->owner)
		return NULL;
	opening->own = true;
	opens->n_own++;
	return strdup(opening->path);
}

/*
 * The file in the lower layer may be known by itself, with its device, which the events of its pages name; those of page tables name the
 * overlay's. Both find the one that has none. Returns 1 if it is known, 0 or -ENOMEM.
 */
static int know_in_layer(struct opens *opens, const struct opening *opening)
{
	size_t index = inode_map_find(&opens->known,
		mounts_pack_device(major(opening->named), minor(opening->named)), opening->status.stx_ino);

	if (index == INODE_MAP_NONE)
		return 0;
	opens->files.items[index].device = 0;
	opens->files.items[index].by_tree |= opening->by_tree;
	return inode_map_add(&opens->known, opening->key, opening->status.stx_ino, index) ?: 1;
}

/* Adds the file of an overlay by its name in a lower layer. Takes `path`. */
static int add_of_layer(struct opens *opens, const struct opening *opening, char *path)
{
	size_t before = opens->files.count;
	int r = know_in_layer(opens, opening);

	if (r != 0) {
		free(path);
		return r < 0 ? r : 0;
	}
	r = add_file(opens, &opens->files, &opens->known, opening, path);
	if (r < 0 || opens->files.count == before)
		return r;
	return inode_map_add(&opens->known, mounts_pack_device(major(opening->named), minor(opening->named)),
		opening->status.stx_ino, before);
}

/* Adds the file by its name in our own namespace. */
static int add_here(struct opens *opens, struct opening *opening, bool elsewhere)
{
	char *path;

	read_path(opening);
	path = opens->careful ? name_carefully(opens, opening, elsewhere) : name_of(opens, opening);
	if (!path && elsewhere && !opens->careful)
		path = name_here(opens, opening);
	if (path && opening->named != makedev(opening->status.stx_dev_major, opening->status.stx_dev_minor))
		return add_of_layer(opens, opening, path);
	if (path)
		return add_file(opens, &opens->files, &opens->known, opening, path);
	/* What no longer has a name anywhere was deleted, and is missed by nobody. */
	if (!elsewhere || opening->status.stx_nlink == 0)
		return 0;
	if (opens->bounded && opens->unnamed.count >= OPENS_PLENTY) {
		opens->lost = true;
		return 0;
	}
	return inode_map_add(
		&opens->unnamed, opening->mount ? superblock_of(opening) : 0, opening->status.stx_ino, 0);
}

static int take_opening(struct opens *opens, struct opening *opening)
{
	uint64_t mount_id = opening->status.stx_mask & STATX_MNT_ID ? opening->status.stx_mnt_id : 0;
	struct view *view = NULL;
	bool elsewhere;
	int r = 0;

	opening->mount = mounts_find(opens->mounts, mount_id);
	elsewhere = mount_id && !opening->mount;
	if (elsewhere)
		r = find_view(opens, opening, mount_id, &view);
	if (r == 0 && view) {
		opening->mount = mounts_find(&view->mounts, mount_id);
		opening->trusted = view->trusted;
		r = marks_view(opens, view);
		if (r == 0 && !opens->keeps_no_views)
			r = add_inside(opens, view, opening);
	}
	if (r < 0 || is_known(&opens->files, &opens->known, opening))
		return r;
	if (opens->careful && opening->mount && mount_is_served(opening->mount))
		return 0;
	return add_here(opens, opening, elsewhere);
}

int opens_add(struct opens *opens, int fd, int32_t pid, struct opens_key *ret_key)
{
	struct opening opening; /* large: most of it need not be set */
	struct opens_key key = {0};
	int r = 0;

	if (opens->by_parents && !opened_in_tree(opens, pid))
		r = learn_process(opens, pid);
	if (r < 0)
		return r;
	opening.fd = fd;
	opening.pid = pid;
	opening.by_tree = opened_in_tree(opens, pid);
	if (describe(&opening, opens->careful)) {
		r = take_opening(opens, &opening);
		key = (struct opens_key){.device = superblock_of(&opening), .inode = opening.status.stx_ino};
	}
	if (r == 0 && ret_key)
		*ret_key = key;
	return r;
}

int opens_on_disk(struct opens *opens, int fd, int32_t pid)
{
	struct statx status;
	struct view *view;
	int r;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &status) < 0)
		return 0;
	/* Linux before 5.8 does not tell the mount: name and device then have to do. */
	if (!(status.stx_mask & STATX_MNT_ID) || mounts_find(opens->mounts, status.stx_mnt_id))
		return 1;
	r = views_find(&opens->views, status.stx_mnt_id, pid, &view);
	return r < 0 ? r : view != NULL;
}

bool opens_may_wait(struct opens *opens, int fd, int32_t pid)
{
	const struct mount *mount;
	struct statx status;
	struct view *view;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &status) < 0 ||
		!(status.stx_mask & STATX_MNT_ID))
		return true;
	if (mounts_find(opens->mounts, status.stx_mnt_id))
		return false;
	if (views_find(&opens->views, status.stx_mnt_id, pid, &view) < 0 || !view)
		return true;
	mount = mounts_find(&view->mounts, status.stx_mnt_id);
	return after_prefix(mount->type, "fuse") || streq(mount->type, "overlay");
}

static int compare_openings(const void *a, const void *b)
{
	const struct record_file *x = a, *y = b;

	return (x->opened < y->opened) - (x->opened > y->opened);
}

int opens_forget(struct opens *opens, size_t most)
{
	struct record_files *files = &opens->files;
	size_t half;
	int r = 0;

	if (opens->unnamed.count > most)
		inode_map_release(&opens->unnamed);
	if (files->count <= most && (!opens->bounded || opens->noted < OPENS_NOTED_MAX / 2))
		return 0;
	qsort(files->items, files->count, sizeof(*files->items), compare_openings);
	half = (files->count < most ? files->count : most) / 2;
	while (files->count > half) {
		opens->noted -= size_of(files->items[--files->count].path);
		record_file_release(&files->items[files->count]);
	}
	inode_map_release(&opens->known);
	for (size_t i = 0; r == 0 && i < files->count; i++) {
		const struct record_file *file = &files->items[i];

		r = inode_map_add(&opens->known, mounts_pack_device(major(file->st_dev), minor(file->st_dev)),
			file->inode, i);
	}
	return r;
}
