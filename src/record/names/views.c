/* SPDX-License-Identifier: MIT */
/* /proc/PID/ns/mnt and /proc/PID/mountinfo of the processes that open files; namespaces(7), mount_namespaces(7). */
#include "record/names/views.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/paths/mountinfo.h"
#include "base/run/process-file.h"
#include "base/strings.h"
#include "base/times.h"

#define VIEWS_MAX 64 /* each keeps three descriptors open */

/* Of namespaces that others have made, who may mount without end. */
#define MOUNTS_MAX 1000       /* with more of them it is as if there were no names */
#define TEXT_MAX   (1u << 20) /* bytes of mountinfo: likewise */
#define READ_NS    1000000000 /* a table is read once in that time, … */
#define READ_AHEAD 16 /* … or so many times at once: a sandbox that is being made changes again and again */

static void view_release(struct view *view)
{
	if (view->namespace >= 0)
		close(view->namespace);
	if (view->mountinfo >= 0)
		close(view->mountinfo);
	if (view->root >= 0)
		close(view->root);
	mounts_release(&view->mounts);
	record_files_release(&view->files);
	inode_map_release(&view->known);
}

static uint64_t inode_of(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 ? st.st_ino : 0;
}

/* Whether the mount namespace belongs to the user namespace of this process. */
static bool belongs_to_us(int namespace)
{
	_cleanup_close_ int owner = ioctl(namespace, NS_GET_USERNS);
	_cleanup_close_ int ours = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);

	return owner >= 0 && ours >= 0 && inode_of(owner) == inode_of(ours);
}

/* Events can still name a mount that has gone since, so what is missing from the new table is kept, unless that is too much. */
static int keep_gone(struct mounts *table, struct mounts *before, size_t most)
{
	if (table->count + before->count > most)
		return 0;
	for (size_t i = 0; i < before->count; i++) {
		struct mount *mount = &before->items[i];
		int r;

		if (mounts_find(table, mount->id))
			continue;
		r = ARRAY_RESERVE(table->items, table->capacity, table->count + 1);
		if (r < 0)
			return r;
		table->items[table->count++] = *mount;
		*mount = (struct mount){0};
	}
	return 0;
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

static void give_up_names(struct view *view)
{
	view->crowded = true;
	mounts_release(&view->mounts);
}

static int read_table(struct view *view)
{
	_cleanup_(mounts_releasep) struct mounts table = {0};
	_cleanup_free_ char *text = NULL;
	size_t size;
	int r;

	if (lseek(view->mountinfo, 0, SEEK_SET) < 0)
		return 0;
	r = read_to_end(view->mountinfo, view->trusted ? MOUNTINFO_MAX : TEXT_MAX, &text, &size);
	if (!view->trusted && (r == -EFBIG || (r == 0 && count_lines(text) > MOUNTS_MAX))) {
		give_up_names(view);
		return 0;
	}
	if (r == 0)
		r = mounts_parse(text, &table);
	if (r == 0)
		r = keep_gone(&table, &view->mounts, view->trusted ? SIZE_MAX : MOUNTS_MAX);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	mounts_release(&view->mounts);
	view->mounts = table;
	table = (struct mounts){0};
	return 0;
}

/* Since the last call. */
static bool has_changed(const struct view *view)
{
	struct pollfd changed = {.fd = view->mountinfo, .events = POLLPRI};

	return poll(&changed, 1, 0) == 1 && changed.revents & POLLPRI;
}

/* Reading is charged to the namespace (GCRA, as in learn/debts.h). */
static bool may_read(struct view *view)
{
	uint64_t now = monotonic_ns();

	if (view->trusted)
		return true;
	if (view->crowded || view->read_until > now + (READ_AHEAD - 1) * (uint64_t)READ_NS)
		return false;
	view->read_until = (view->read_until > now ? view->read_until : now) + READ_NS;
	return true;
}

/* Reads the table if it is outdated, or else later. Returns 1, 0 or -ENOMEM. */
static int read_outdated(struct view *view)
{
	if (!view->outdated || !may_read(view))
		return 0;
	view->outdated = false;
	return read_table(view) ?: 1;
}

int view_refresh(struct view *view)
{
	view->outdated |= has_changed(view);
	return read_outdated(view);
}

/* Takes the namespace of the process, which holds `namespace` open. */
static int add_view(struct views *views, int32_t pid, int namespace)
{
	struct view view = {
		.id = inode_of(namespace), .pid = pid, .namespace = -1, .root = -1, .outdated = true};
	bool wanted;
	int r;

	if (views->count == VIEWS_MAX)
		return 0;
	view.mountinfo = process_open(pid, O_RDONLY, "mountinfo");
	if (view.mountinfo < 0)
		return 0;
	view.namespace = fcntl(namespace, F_DUPFD_CLOEXEC, 0);
	view.root = process_open(pid, O_PATH | O_DIRECTORY, "root");
	view.trusted = view.namespace >= 0 && belongs_to_us(view.namespace);
	wanted = view.trusted || !views->trusted_only;
	r = wanted ? read_outdated(&view) : 0;
	if (r >= 0)
		r = ARRAY_RESERVE(views->items, views->capacity, views->count + 1);
	if (r < 0 || !wanted) {
		view_release(&view);
		return r;
	}
	views->items[views->count++] = view;
	return 0;
}

static void replace_fd(int *fd, int by)
{
	if (by < 0)
		return;
	if (*fd >= 0)
		close(*fd);
	*fd = by;
}

static bool is_same_folder(int fd, int other)
{
	struct statx a, b;
	const int flags = AT_EMPTY_PATH | AT_STATX_DONT_SYNC;

	return statx(fd, "", flags, STATX_INO | STATX_MNT_ID, &a) == 0 &&
		statx(other, "", flags, STATX_INO | STATX_MNT_ID, &b) == 0 && a.stx_ino == b.stx_ino &&
		a.stx_dev_major == b.stx_dev_major && a.stx_dev_minor == b.stx_dev_minor &&
		(!(a.stx_mask & b.stx_mask & STATX_MNT_ID) || a.stx_mnt_id == b.stx_mnt_id);
}

/* The kernel names mounts as the root of the process sees them, and pivot_root(2) changes that root. */
static int look_again(struct view *view, int32_t pid)
{
	int root, mountinfo, r;

	if (view->crowded)
		return 0;
	root = process_open(pid, O_PATH | O_DIRECTORY, "root");
	mountinfo = process_open(pid, O_RDONLY, "mountinfo");
	view->pid = pid;
	view->outdated |= view->trusted || has_changed(view) || !is_same_folder(view->root, root);
	replace_fd(&view->root, root);
	replace_fd(&view->mountinfo, mountinfo);
	r = read_outdated(view);
	return r < 0 ? r : 0;
}

int views_look_at(struct views *views, int32_t pid)
{
	_cleanup_close_ int namespace = process_open(pid, O_RDONLY, "ns/mnt");
	_cleanup_close_ int own = views->ours ? -1 : open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	uint64_t id = inode_of(namespace);

	if (!views->ours)
		views->ours = inode_of(own);
	if (!id || id == views->ours)
		return 0;
	for (size_t i = 0; i < views->count; i++)
		if (views->items[i].id == id)
			return look_again(&views->items[i], pid);
	return add_view(views, pid, namespace);
}

static bool is_left(const struct view *view)
{
	_cleanup_close_ int namespace = process_open(view->pid, O_RDONLY, "ns/mnt");

	return inode_of(namespace) != view->id;
}

void views_let_go(struct views *views)
{
	size_t kept = 0;

	for (size_t i = 0; i < views->count; i++)
		if (is_left(&views->items[i]))
			view_release(&views->items[i]);
		else
			views->items[kept++] = views->items[i];
	views->count = kept;
}

static struct view *find_with_mount(const struct views *views, uint64_t mount_id)
{
	for (size_t i = 0; i < views->count; i++)
		if (mounts_find(&views->items[i].mounts, mount_id))
			return &views->items[i];
	return NULL;
}

int views_find(struct views *views, uint64_t mount_id, int32_t pid, struct view **ret)
{
	struct view *view = find_with_mount(views, mount_id);
	int r = 0;

	if (!view) {
		r = views_look_at(views, pid);
		view = find_with_mount(views, mount_id);
	}
	*ret = view;
	return r;
}

int view_open_mount(const struct view *view, const struct mount *mount)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS | RESOLVE_CACHED,
	};
	_cleanup_close_ int fd = (int)syscall(SYS_openat2, view->root, mount->point, &how, sizeof(how));
	struct statx status;

	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &status) < 0)
		return -errno;
	return status.stx_mask & STATX_MNT_ID && status.stx_mnt_id == mount->id ? TAKE_FD(fd) : -ENOENT;
}

void views_release(struct views *views)
{
	for (size_t i = 0; i < views->count; i++)
		view_release(&views->items[i]);
	free(views->items);
	*views = (struct views){0};
}
