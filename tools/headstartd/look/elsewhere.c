/* SPDX-License-Identifier: MIT */
/*
 * Composing a name takes two mount tables, which is much more than the rest of a look takes. So names are kept, and only so many are
 * composed in a second: a container may execute whatever it likes.
 */
#include "headstartd/look/elsewhere.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/links.h"
#include "base/files/same-file.h"
#include "base/run/process-file.h"
#include "base/run/process-tree.h"
#include "base/strings.h"
#include "base/times.h"
#include "learn/debts.h"
#include "record/names/mounts.h"
#include "record/names/name-here.h"
#include "record/names/views.h"

#define NAMES         64   /* that are kept */
#define FORGET_MS     5000 /* what had no name may have one later */
#define COMPOSE_MS    20   /* a name is composed once in that time, … */
#define COMPOSE_AHEAD 64   /* … or so many times at once */
#define NESTED_MAX    32   /* user namespaces (user_namespaces(7)) */

#ifndef STATX_MNT_ID_UNIQUE /* Linux 6.8, in newer headers */
#define STATX_MNT_ID_UNIQUE 0x00004000u
#endif

/* Whoever lives in a user namespace that root has made is not root, but one user with many ids. */
#define OF_ROOTS_NAMESPACE ((uid_t)-2)

/* What was executed: the file, and the mount, whose number no later one gets; 0 before Linux 6.8, where nothing is kept. */
struct executed {
	uint64_t mount, inode;
};

struct name {
	struct executed executed;
	char *path; /* owned; NULL: it has none */
	uint64_t until_ms;
};

/* Nobody pays for what others do: neither root's containers and services, nor another user's. */
static bool may_compose(uid_t user)
{
	static struct debts debts = {.price = 1, .credit_ms = COMPOSE_AHEAD * COMPOSE_MS};

	return debts_take(&debts, user, COMPOSE_MS, monotonic_ms());
}

/* `path` is what the kernel calls it, by the root of its own namespace. */
static char *compose(int32_t pid, uint64_t mount_id, const char *path, const struct statx *status)
{
	_cleanup_(mounts_releasep) struct mounts here = {0};
	struct views views = {0};
	struct view *view = NULL;
	const struct mount *mount;
	struct statx named;
	char *name = NULL;

	if (mounts_read(&here) < 0)
		return NULL;
	mount = mounts_find(&here, mount_id); /* below another root in our own namespace */
	if (!mount && views_find(&views, mount_id, pid, &view) == 0 && view)
		mount = mounts_find(&view->mounts, mount_id);
	if (mount && view && streq(mount->type, "overlay"))
		name = view->trusted ? name_here_in_layer(mount, path, status, true, &named) : NULL;
	else if (mount && !mount_is_served(mount))
		name = name_here_by_mount(&here, mount, path, status, true);
	views_release(&views);
	return name;
}

static bool is_same(const struct executed *a, const struct executed *b)
{
	return a->mount && a->mount == b->mount && a->inode == b->inode;
}

/* Borrowed until the next call; NULL: it has none. To most services with mounts of their own it has the name that it has here. */
static const char *find_name(const struct process_seen *seen, const struct executed *executed,
	const char *path, const struct statx *status)
{
	static struct name names[NAMES];
	struct name *name = &names[(executed->inode ^ executed->mount) % NAMES];
	uint64_t now = monotonic_ms();

	if (path_leads_to(path, status, true))
		return path;
	if (is_same(&name->executed, executed) &&
		(name->path ? name_here_still_leads_to(name->path, status) : name->until_ms > now))
		return name->path;
	if (!may_compose(seen->user))
		return NULL;
	free(name->path);
	*name = (struct name){.executed = *executed,
		.path = compose(seen->pid, status->stx_mnt_id, path, status),
		.until_ms = now + FORGET_MS};
	return name->path;
}

/* 0: the kernel does not tell. */
static uint64_t unique_mount(int fd)
{
	struct statx status;

	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID_UNIQUE, &status) == 0 &&
			status.stx_mask & STATX_MNT_ID_UNIQUE
		? status.stx_mnt_id
		: 0;
}

static bool see_image(struct process_seen *seen)
{
	_cleanup_close_ int fd = process_open(seen->pid, O_PATH, "exe");
	char path[PATH_MAX];
	struct statx status;
	const char *name;

	if (fd < 0 || path_of_fd(fd, path) < 0 ||
		statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS | STATX_MNT_ID, &status) <
			0 ||
		!(status.stx_mask & STATX_MNT_ID))
		return false;
	name = find_name(
		seen, &(struct executed){.mount = unique_mount(fd), .inode = status.stx_ino}, path, &status);
	if (!name || strlen(name) >= sizeof(seen->image))
		return false;
	strcpy(seen->image, name);
	strcpy(seen->program, name);
	return true;
}

static uint64_t inode_of(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 ? st.st_ino : 0;
}

/* Whose it is: in another user namespace, of the one below ours that it lies in, the user who made that. */
static bool see_user(struct process_seen *seen)
{
	_cleanup_close_ int ours = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int its = process_open(seen->pid, O_RDONLY, "ns/user");
	uint64_t our_inode = inode_of(ours);
	unsigned depth = 0;

	if (ours < 0 ? errno == ENOENT : inode_of(its) == our_inode)
		return true; /* process_see() has found it */
	for (; its >= 0 && depth < NESTED_MAX; depth++) {
		_cleanup_close_ int parent = ioctl(its, NS_GET_PARENT);

		if (parent < 0)
			return false;
		if (inode_of(parent) == our_inode) {
			if (ioctl(its, NS_GET_OWNER_UID, &seen->user) < 0)
				return false;
			if (seen->user == 0)
				seen->user = OF_ROOTS_NAMESPACE;
			return true;
		}
		close(its);
		its = TAKE_FD(parent);
	}
	return false;
}

/* Before Linux 5.12 a look at a path may wait for whoever serves it. */
static bool can_look_without_waiting(void)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_CACHED};
	_cleanup_close_ int fd = (int)syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof(how));

	return fd >= 0 || errno == EAGAIN;
}

bool elsewhere_see(struct process_seen *seen)
{
	seen->named = can_look_without_waiting() && see_user(seen) && see_image(seen);
	seen->parent = seen->named ? process_parent(seen->pid) : 0;
	return seen->named;
}
