/* SPDX-License-Identifier: MIT */
/*
 * Looks paths up in /proc/PID. Once a followed process can serve a file system (FUSE), looking asks no file system for
 * anything: that process stops at its next read, and if we waited for its answer, it and we would wait for ever. Then
 * names count as far as the kernel knows them already: openat2(2), RESOLVE_CACHED, Linux 5.12.
 *
 * The links of the kernel's own in /proc lead anywhere at once, past folders that are closed. Whether a process may follow those of another
 * one goes by the right to trace it, which we have, whoever it is (rights.h). And in what a path leads to, /proc/self means us. So of
 * these links only the thread's own is followed, at the beginning of the path, by itself.
 */
#include "record/follow/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"

/* Of /dev/fuse: Documentation/admin-guide/devices.txt of the kernel. */
#define MISC_MAJOR 10
#define FUSE_MINOR 229

/* How the path goes on below a folder, if it does. */
static const char *below(const char *path, const char *folder)
{
	const char *rest = after_prefix(path, folder);

	return rest && (*rest == '/' || !*rest) ? rest + strspn(rest, "/") : NULL;
}

/* The length of the first part of `rest`, if it leads on from `base`, a folder of the thread's in /proc, to a link of the kernel's own. */
static size_t own_part(const char *base, const char *link, const char *rest)
{
	static const char *const names[] = {"cwd", "root", "exe", "fd"};
	size_t length = strcspn(rest, "/");

	if (ends_with(link, "/fd"))
		return strspn(rest, "0123456789") == length && length <= 10 ? length : 0;
	for (size_t i = 0; streq(link, base) && i < sizeof(names) / sizeof(*names); i++)
		if (length == strlen(names[i]) && strncmp(rest, names[i], length) == 0)
			return length;
	return 0;
}

const char *follow_path_begin(
	const struct follow_stop *stop, int folder, const char *path, char ret[FOLLOW_LINK_MAX])
{
	char process[24], thread[48];
	const struct {
		const char *name, *base, *below;
	} names[] = {
		{"/proc/self", process, ""},
		{"/proc/thread-self", thread, ""},
		{process, process, ""},
		{"/dev/fd", process, "/fd"},
		{"/dev/stdin", process, "/fd/0"},
		{"/dev/stdout", process, "/fd/1"},
		{"/dev/stderr", process, "/fd/2"},
	};

	snprintf(process, sizeof(process), "/proc/%" PRId32, stop->process->pid);
	snprintf(thread, sizeof(thread), "%s/task/%" PRId32, process, stop->tid);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *rest = below(path, names[i].name);
		size_t used, part;

		if (!rest)
			continue;
		used = (size_t)snprintf(ret, FOLLOW_LINK_MAX, "%s%s", names[i].base, names[i].below);
		while ((part = own_part(names[i].base, ret, rest)) > 0 && used + part + 2 < FOLLOW_LINK_MAX) {
			used += (size_t)snprintf(
				ret + used, FOLLOW_LINK_MAX - used, "/%.*s", (int)part, rest);
			rest += part + strspn(rest + part, "/");
		}
		return rest;
	}
	ret[0] = 0;
	if (path[0] != '/' && folder == AT_FDCWD)
		snprintf(ret, FOLLOW_LINK_MAX, "/proc/%" PRId32 "/cwd", stop->tid);
	else if (path[0] != '/')
		snprintf(ret, FOLLOW_LINK_MAX, "/proc/%" PRId32 "/fd/%d", stop->tid, folder);
	return path;
}

/*
 * Before Linux 5.6, or where a filter of a container refuses openat2(2), nothing tells such links apart. Looking with the rights of another
 * user then sees nothing. With our own rights it may at worst see us in place of the thread.
 */
static int open_without(int folder, const char *path)
{
	int fd;

	if ((uid_t)setfsuid((uid_t)-1) != geteuid())
		return -ENOSYS;
	fd = openat(folder, path, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_at(int folder, const char *path, uint64_t resolve)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = resolve | RESOLVE_NO_MAGICLINKS};
	long fd = syscall(SYS_openat2, folder, path, &how, sizeof(how));

	if (fd < 0 && (errno == ENOSYS || errno == EPERM) && resolve == 0)
		return open_without(folder, path);
	return fd < 0 ? -errno : (int)fd;
}

/* In the root of the process. */
static int open_in_root(int32_t tid, const char *path, uint64_t resolve)
{
	_cleanup_close_ int root = -1;
	char name[64];

	snprintf(name, sizeof(name), "/proc/%" PRId32 "/root", tid);
	root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return root < 0 ? -errno : open_at(root, path, resolve | RESOLVE_IN_ROOT);
}

/* A thread may have a root of its own. */
static int open_absolute(
	const struct follow_process *process, int32_t tid, const char *path, uint64_t resolve)
{
	return process->foreign ? open_in_root(tid, path, resolve) : open_at(AT_FDCWD, path, resolve);
}

int follow_path_open_known(const struct follow_process *process, const char *path)
{
	return open_absolute(process, process->pid, path, RESOLVE_CACHED);
}

static int open_path(const struct follow_stop *stop, int folder, const char *path, uint64_t resolve)
{
	char link[FOLLOW_LINK_MAX];
	const char *rest = follow_path_begin(stop, folder, path, link);
	_cleanup_close_ int start = -1;

	if (!link[0])
		return open_absolute(stop->process, stop->tid, rest, resolve);
	start = open(link, O_PATH | O_CLOEXEC);
	if (start < 0)
		return -errno;
	return rest[0] ? open_at(start, rest, resolve) : TAKE_FD(start);
}

/* What is opened may be a device by which a process serves files, or its own memory. The number of the latter differs. */
static void look_at_device(struct touched *touched, const struct follow_stop *stop, dev_t device)
{
	struct stat faults;

	if (device == makedev(MISC_MAJOR, FUSE_MINOR))
		touched->serves = true;
	else if (major(device) == MISC_MAJOR && stat("/dev/userfaultfd", &faults) == 0 &&
		faults.st_rdev == device)
		follow_process_serves_memory(touched, stop->process);
}

/* Whether it is a file that can be touched; -EEXIST for one that is known and need not be. */
static int judge(
	struct touched *touched, const struct follow_stop *stop, const struct stat *status, bool only_new)
{
	if (S_ISCHR(status->st_mode))
		look_at_device(touched, stop, status->st_rdev);
	if (only_new && touched_find(touched, status) != TOUCHED_NONE)
		return -EEXIST;
	return S_ISREG(status->st_mode) || S_ISDIR(status->st_mode) ? 0 : -EINVAL;
}

int follow_path_open(
	struct touched *touched, const struct follow_stop *stop, int folder, const char *path, bool only_new)
{
	_cleanup_close_ int fd = open_path(stop, folder, path, touched->serves ? RESOLVE_CACHED : 0);
	struct stat status;
	int r;

	if (fd < 0)
		return fd;
	if (touched->serves && opens_may_wait(touched->opens, fd, stop->process->pid))
		return -EAGAIN;
	r = fstat(fd, &status) < 0 ? -errno : judge(touched, stop, &status, only_new);
	return r < 0 ? r : TAKE_FD(fd);
}
