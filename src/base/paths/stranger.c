/* SPDX-License-Identifier: MIT */
/* Follows a path by hand, so that each link and each folder on it is checked. */
#include "base/paths/stranger.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/links.h"
#include "base/paths/mountinfo.h"
#include "base/paths/steps.h"

#define TRIES 20 /* while somebody mounts or renames, the kernel's cache of names may not be looked at */

enum manner {
	WAITS,
	ASKS_NOBODY, /* but disks, for what is root's */
	CACHED_ONLY,
};

struct walk {
	int at;         /* owned: O_PATH of the place reached so far */
	struct stat st; /* of that */
	uint64_t mount; /* on which that lies; 0: the kernel does not say (before Linux 5.8) */
	bool automount; /* that place is an automounter's */
	struct steps steps;
	enum manner manner;
};

static bool others_write(const struct stat *st)
{
	return !S_ISLNK(st->st_mode) && (st->st_mode & (S_IWGRP | S_IWOTH));
}

/* Whether others can add to the folder, but cannot replace what is root's there. */
static bool is_shared(const struct stat *st)
{
	return S_ISDIR(st->st_mode) && others_write(st) && (st->st_mode & S_ISVTX);
}

static int tell(int fd, const struct stat *st, struct stranger *ret)
{
	if (path_of_fd(fd, ret->path) < 0)
		ret->path[0] = '\0';
	ret->owner = st->st_uid;
	return -EPERM;
}

/*
 * What somebody else serves begins with a mount, and the kernel has cached the names of all places on which something is mounted. So a name
 * that it has not cached is one of the file system of `at`. If that is on a disk, only the disk is asked.
 */
static int open_unasked(const struct walk *walk, int at, const char *name, int flags)
{
	struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_CACHED};
	int fd = (int)syscall(SYS_openat2, at, name, &how, sizeof(how));

	if (fd >= 0 || errno != EAGAIN || walk->manner == CACHED_ONLY)
		return fd;
	if (!mountinfo_on_disk(walk->mount)) {
		errno = EAGAIN;
		return -1;
	}
	how.resolve = RESOLVE_NO_XDEV;
	fd = (int)syscall(SYS_openat2, at, name, &how, sizeof(how));
	if (fd < 0 && errno == EXDEV) /* but now the cache may not be looked at */
		errno = EAGAIN;
	return fd;
}

static int open_next(const struct walk *walk, int at, const char *name)
{
	const int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
	int fd = -1;

	errno = EINVAL;
	if (walk->manner != WAITS)
		fd = open_unasked(walk, at, name, flags);
	/* EPERM: a filter of system calls does not know it. Where root may not open a name, openat() says so, too. */
	return fd < 0 && (errno == EINVAL || errno == ENOSYS || errno == EPERM) ? openat(at, name, flags)
										: fd;
}

/* By what the kernel knows: whoever serves the file is not asked. */
static uint64_t mount_of(int fd)
{
	struct statx status;

	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &status) == 0 &&
			status.stx_mask & STATX_MNT_ID
		? status.stx_mnt_id
		: 0;
}

/* Fills in whose it is, its type and its mode. */
static int look(const struct walk *walk, int fd, struct stat *ret)
{
	struct statx status;

	if (statx(fd, "", AT_EMPTY_PATH | (walk->manner == WAITS ? 0 : AT_STATX_DONT_SYNC),
		    STATX_TYPE | STATX_MODE | STATX_UID, &status) < 0)
		return -errno;
	*ret = (struct stat){.st_uid = status.stx_uid, .st_mode = status.stx_mode};
	return 0;
}

/* What a user's process serves is the user's, whatever that process says. It may never say anything, so it is not asked. */
static int check_mount(struct walk *walk, int fd, struct stranger *ret)
{
	uint64_t before = walk->mount;
	struct stat st = {0};

	walk->mount = mount_of(fd);
	if (!before || !walk->mount || walk->mount == before ||
		!mountinfo_of_user(walk->mount, &st.st_uid, &walk->automount))
		return 0;
	return tell(fd, &st, ret);
}

/* Whoever opens something there may have something mounted before, and nobody knows yet whose that will be. */
static int tell_of_automount(const struct walk *walk, struct stranger *ret)
{
	const struct stat anybody = {.st_uid = (uid_t)-1};

	return tell(walk->at, &anybody, ret);
}

static int enter(struct walk *walk, int at, const char *name, struct stranger *ret)
{
	_cleanup_close_ int fd = open_next(walk, at, name);
	struct stat st;
	int r = fd < 0 ? -errno : check_mount(walk, fd, ret);

	if (r == 0)
		r = look(walk, fd, &st);
	if (r < 0)
		return r;
	if (st.st_uid != 0 || (others_write(&st) && !is_shared(&st)))
		return tell(fd, &st, ret);
	if (S_ISLNK(st.st_mode))
		return walk->manner == CACHED_ONLY ? -EAGAIN : steps_follow(&walk->steps, fd);
	cleanup_closep(&walk->at);
	walk->at = TAKE_FD(fd);
	walk->st = st;
	return 0;
}

static int find(const char *path, enum manner manner, struct stranger *ret)
{
	struct walk walk = {.at = -1, .manner = manner};
	char word[NAME_MAX + 1];
	int r;

	if (path[0] != '/')
		return -EINVAL;
	r = steps_begin(&walk.steps, path);
	if (r < 0)
		return r;
	*ret = (struct stranger){.owner = (uid_t)-1};
	do {
		if (walk.steps.from_root) { /* our own root is as good as it is */
			walk.mount = 0;
			walk.automount = false;
		}
		r = walk.steps.from_root ? enter(&walk, AT_FDCWD, "/", ret) : 0;
		walk.steps.from_root = false;
		if (r == 0)
			r = steps_take(&walk.steps, word);
		if (r == 0 && word[0])
			r = enter(&walk, walk.at, word, ret);
	} while (r == 0 && word[0]);
	/* Checks the end of the path: in a shared folder, anybody could make what does not exist yet. */
	if (r == 0 || r == -ENOENT)
		r = is_shared(&walk.st)  ? tell(walk.at, &walk.st, ret)
			: walk.automount ? tell_of_automount(&walk, ret)
					 : 0;
	cleanup_closep(&walk.at);
	return r;
}

int stranger_find(const char *path, struct stranger *ret)
{
	return find(path, WAITS, ret);
}

int stranger_find_cached(const char *path, struct stranger *ret)
{
	return find(path, CACHED_ONLY, ret);
}

int stranger_find_unasked(const char *path, struct stranger *ret)
{
	const struct timespec pause = {.tv_nsec = 200000};
	int r = find(path, ASKS_NOBODY, ret);

	for (unsigned i = 0; r == -EAGAIN && i < TRIES; i++) {
		nanosleep(&pause, NULL);
		r = find(path, ASKS_NOBODY, ret);
	}
	return r;
}

int stranger_find_unasked_at(int folder, const char *path, struct stranger *ret)
{
	char whole[PATH_MAX];
	size_t n;

	if (path[0] == '/')
		return stranger_find_unasked(path, ret);
	if (path_of_fd(folder, whole) < 0)
		return -EBADF;
	n = strlen(whole);
	if (snprintf(whole + n, sizeof(whole) - n, "/%s", path) >= (int)(sizeof(whole) - n))
		return -ENAMETOOLONG;
	return stranger_find_unasked(whole, ret);
}

int stranger_to_us(const char *path, struct stranger *ret)
{
	return geteuid() == 0 ? stranger_find(path, ret) : 0;
}
