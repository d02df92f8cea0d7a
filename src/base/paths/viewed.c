/* SPDX-License-Identifier: MIT */
/* Follows a path by hand, since the kernel would follow it with root's rights. */
#include "base/paths/viewed.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/paths/hidden.h"
#include "base/paths/steps.h"
#include "base/strings.h"

struct walk {
	int root; /* borrowed; -1: ours */
	uid_t user;
	int at;          /* owned: O_PATH of the place reached so far */
	struct statx st; /* of that; its device is 0 at first, which none has */
	struct steps steps;
};

static bool same_device(const struct statx *a, const struct statx *b)
{
	return a->stx_dev_major == b->stx_dev_major && a->stx_dev_minor == b->stx_dev_minor;
}

/* Whoever serves the file is not asked anew: it might never answer. */
static int look(int fd, struct statx *ret)
{
	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
		       STATX_TYPE | STATX_MODE | STATX_UID | STATX_GID | STATX_INO, ret) < 0
		? -errno
		: 0;
}

static bool is_in_proc(int fd)
{
	struct statfs status;

	return fstatfs(fd, &status) < 0 || status.f_type == PROC_SUPER_MAGIC;
}

static int enter(struct walk *walk, int at, const char *name)
{
	_cleanup_close_ int fd = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct statx st;
	int r = fd < 0 ? -errno : look(fd, &st);

	if (r < 0)
		return r;
	if (!same_device(&st, &walk->st) && is_in_proc(fd))
		return -EACCES;
	if (S_ISLNK(st.stx_mode))
		return steps_follow(&walk->steps, fd);
	cleanup_closep(&walk->at);
	walk->at = TAKE_FD(fd);
	walk->st = st;
	return 0;
}

static int enter_root(struct walk *walk)
{
	return walk->root < 0 ? enter(walk, AT_FDCWD, "/") : enter(walk, walk->root, ".");
}

static bool is_root(const struct walk *walk)
{
	struct statx root;

	return walk->root >= 0 && look(walk->root, &root) == 0 && same_device(&root, &walk->st) &&
		root.stx_ino == walk->st.stx_ino;
}

static int step(struct walk *walk, const char *word)
{
	if (!S_ISDIR(walk->st.stx_mode))
		return -ENOTDIR;
	if (folder_hides(&walk->st, walk->user))
		return -EACCES;
	return streq(word, "..") && is_root(walk) ? 0 : enter(walk, walk->at, word);
}

/* From the place that has been reached. */
static int go(struct walk *walk)
{
	char word[NAME_MAX + 1];
	bool slash;
	int r;

	do {
		r = walk->steps.from_root ? enter_root(walk) : 0;
		walk->steps.from_root = false;
		slash = walk->steps.rest[0] == '/';
		if (r == 0)
			r = steps_take(&walk->steps, word);
		if (r == 0 && word[0])
			r = step(walk, word);
	} while (r == 0 && word[0]);
	return r == 0 && slash && !S_ISDIR(walk->st.stx_mode) ? -ENOTDIR : r;
}

int open_viewed(int root, int folder, const char *path, int flags, uid_t user)
{
	struct walk walk = {.root = root, .user = user, .at = -1};
	int r = path[0] ? steps_begin(&walk.steps, path) : -ENOENT;

	if (r == 0 && !walk.steps.from_root)
		r = enter(&walk, folder, ".");
	if (r == 0)
		r = go(&walk);
	if (r == 0 && flags & O_DIRECTORY && !S_ISDIR(walk.st.stx_mode))
		r = -ENOTDIR;
	if (r == 0)
		return walk.at;
	cleanup_closep(&walk.at);
	return r;
}
