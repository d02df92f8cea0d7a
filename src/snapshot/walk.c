/* SPDX-License-Identifier: MIT */
/*
 * Walks a folder, level by level. A name that is not in the dentry cache is passed over: nothing below it is there either,
 * because the kernel keeps a name only together with the folders that lead to it. Nothing is opened but with O_PATH,
 * which waits for nobody and starts nothing, before it is known to be a folder or a regular file.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/strings.h"
#include "device/file-system.h"
#include "snapshot/collect.h"

/* The kernel also says no if something is being renamed or mounted at that moment. */
#define ASK_TIMES 3

struct walk {
	struct snapshot *snapshot;
	char **folders; /* owned, and so is each from `next` on; in the order in which they are listed */
	size_t n, capacity, next;
	dev_t device;
	uint64_t file_system; /* its id; 0: the places of folders are of no use */
	enum walk_answers answers;
	bool leave_silent;
};

static void walk_release(struct walk *walk)
{
	for (; walk->next < walk->n; walk->next++)
		free(walk->folders[walk->next]);
	free(walk->folders);
}

/* Opens a name in a folder, without following a link. Returns a descriptor or negative errno. */
static int open_name(int folder, const char *name, uint64_t resolve)
{
	struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = resolve,
	};
	int fd = (int)syscall(SYS_openat2, folder, name, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

/* Whether nothing is mounted on the one that was opened as a name in the other. */
static bool same_mount(int folder, int fd)
{
	const int flags = AT_EMPTY_PATH | AT_STATX_DONT_SYNC;
	struct statx above, below;

	return statx(folder, "", flags, STATX_MNT_ID, &above) == 0 &&
		statx(fd, "", flags, STATX_MNT_ID, &below) == 0 &&
		(above.stx_mask & below.stx_mask & STATX_MNT_ID) && above.stx_mnt_id == below.stx_mnt_id;
}

/*
 * Returns a descriptor if the name is in memory, or negative errno: -EAGAIN if it is not, or nobody knows. Asked not to leave the mount,
 * the kernel also says no to a folder on which something is mounted in some other mount namespace (__follow_mount_rcu() in fs/namei.c),
 * as container engines and systemd's services do. So this asks again without, and looks itself.
 */
static int open_cached(int folder, const char *name)
{
	int fd = open_name(folder, name, RESOLVE_CACHED | RESOLVE_NO_XDEV);

	for (int i = 0; i < ASK_TIMES && fd == -EAGAIN; i++)
		fd = open_name(folder, name, RESOLVE_CACHED);
	if (fd < 0 || same_mount(folder, fd))
		return fd;
	close(fd);
	return -EXDEV;
}

/* Whether the file system says that a name is in memory which it has just been asked for. That reads its inode. */
static enum walk_answers try_answers(int folder, const char *name)
{
	_cleanup_close_ int loaded = open_name(folder, name, RESOLVE_NO_XDEV), again = -1;

	if (loaded < 0)
		return WALK_UNTRIED;
	again = open_cached(folder, name);
	return again >= 0 ? WALK_ANSWERS : WALK_SILENT;
}

/*
 * Opens a name of a folder if it is in memory, or if nobody can say that. Returns a descriptor; -EAGAIN if it is not in
 * memory; or negative errno.
 */
static int open_known(struct walk *walk, int folder, const char *name)
{
	int fd;

	if (walk->answers != WALK_SILENT) {
		fd = open_cached(folder, name);
		if (fd >= 0)
			walk->answers = WALK_ANSWERS;
		else if (fd == -EINVAL || fd == -ENOSYS || fd == -EPERM) /* an old kernel, or seccomp */
			walk->answers = WALK_SILENT;
		else if (fd == -EAGAIN && walk->answers == WALK_UNTRIED)
			walk->answers = try_answers(folder, name);
		if (walk->answers != WALK_SILENT)
			return fd;
	}
	if (walk->leave_silent)
		return -EOPNOTSUPP;
	fd = open_name(folder, name, RESOLVE_NO_XDEV);
	if (fd != -ENOSYS && fd != -EPERM)
		return fd;
	fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int queue_folder(struct walk *walk, const char *path)
{
	_cleanup_free_ char *copy = strdup(path);
	int r;

	if (!copy)
		return -ENOMEM;
	r = ARRAY_RESERVE(walk->folders, walk->capacity, walk->n + 1);
	if (r < 0)
		return r;
	walk->folders[walk->n++] = TAKE_PTR(copy);
	return 0;
}

/* Adds what the O_PATH descriptor, which this consumes, is of. Devices, sockets and FIFOs are none of it. */
static int add_entry(struct walk *walk, const char *path, int fd)
{
	_cleanup_close_ int entry = fd;
	bool known = walk->answers == WALK_ANSWERS;
	struct stat st;
	size_t file;

	if (fstat(entry, &st) < 0)
		return -errno;
	switch (st.st_mode & S_IFMT) {
	case S_IFDIR:
		return known || st.st_dev == walk->device ? queue_folder(walk, path) : 0;
	case S_IFLNK:
		return known ? snapshot_add_name(walk->snapshot, path, PROFILE_SYMLINK, &file) : 0;
	case S_IFREG:
		return pages_add(walk->snapshot, path, TAKE_FD(entry), &st, known);
	default:
		return 0;
	}
}

static int add_name(struct walk *walk, int folder, const char *folder_path, const char *name)
{
	char path[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", streq(folder_path, "/") ? "" : folder_path, name) >=
		(int)sizeof(path)) {
		walk->snapshot->unreadable++;
		return 0;
	}
	fd = open_known(walk, folder, name);
	if (fd == -EOPNOTSUPP && walk->leave_silent)
		return fd;
	if (fd == -EACCES)
		walk->snapshot->unreadable++;
	if (fd < 0) /* not in memory, gone, or another file system */
		return fd == -ENOMEM || fd == -EMFILE || fd == -ENFILE ? fd : 0;
	return add_entry(walk, path, fd);
}

static int add_names(struct walk *walk, const char *path, DIR *folder)
{
	const struct dirent *entry;
	int r = 0;

	while (r == 0 && (entry = readdir(folder)))
		if (!streq(entry->d_name, ".") && !streq(entry->d_name, ".."))
			r = add_name(walk, dirfd(folder), path, entry->d_name);
	return r;
}

static int list_folder(struct walk *walk, const char *path)
{
	_cleanup_closedir_ DIR *folder = NULL;
	_cleanup_close_ int fd = open_typed(path, S_IFDIR, OPEN_NO_LINKS);
	size_t file;
	int r;

	if (fd < 0) {
		walk->snapshot->unreadable += fd == -EACCES;
		return fd == -ENOMEM || fd == -EMFILE || fd == -ENFILE ? fd : 0;
	}
	folder = fdopendir(fd);
	if (!folder)
		return -errno;
	TAKE_FD(fd);
	/* Where nobody knows which names are in memory, a folder is added with the first of its files. */
	r = walk->answers == WALK_SILENT ? 0
					 : snapshot_add_name(walk->snapshot, path, PROFILE_DIRECTORY, &file);
	if (r == 0 && walk->file_system)
		r = folder_blocks_add(walk->snapshot, walk->file_system, dirfd(folder));
	return r < 0 ? r : add_names(walk, path, folder);
}

/* Only root's prefetcher can read the disk itself. */
static uint64_t file_system_of(const char *path)
{
	_cleanup_close_ int fd = geteuid() == 0 ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	struct device_file_system system;

	return fd >= 0 && device_file_system(fd, &system) == 0 ? system.id : 0;
}

int walk_folder(struct snapshot *snapshot, const char *path, bool leave_silent)
{
	_cleanup_(walk_release) struct walk walk = {.snapshot = snapshot, .leave_silent = leave_silent};
	struct stat st;
	int r;

	if (stat(path, &st) < 0)
		return -errno;
	walk.device = st.st_dev;
	walk.file_system = file_system_of(path);
	r = queue_folder(&walk, path);
	while (r == 0 && walk.next < walk.n) {
		_cleanup_free_ char *folder = walk.folders[walk.next++];

		r = list_folder(&walk, folder);
	}
	return r;
}
