/* SPDX-License-Identifier: MIT */
/*
 * Looks paths up in /proc/PID. Once a followed process can serve a file system (FUSE), looking asks no file system for
 * anything: that process stops at its next read, and if we waited for its answer, it and we would wait for ever. Then
 * names count as far as the kernel knows them already: openat2(2), RESOLVE_CACHED, Linux 5.12.
 */
#include "record/follow/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"

/* Of /dev/fuse: Documentation/admin-guide/devices.txt of the kernel. */
#define MISC_MAJOR 10
#define FUSE_MINOR 229

void follow_path_folder(int32_t tid, int folder, char ret[64])
{
	if (folder == AT_FDCWD)
		snprintf(ret, 64, "/proc/%" PRId32 "/cwd", tid);
	else
		snprintf(ret, 64, "/proc/%" PRId32 "/fd/%d", tid, folder);
}

static int open_at(int folder, const char *path, uint64_t resolve)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = resolve};
	long fd = syscall(SYS_openat2, folder, path, &how, sizeof(how));

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

bool follow_path_own(const struct follow_stop *stop, const char *path, char ret[PATH_MAX + 64])
{
	static const struct {
		const char *prefix, *below;
	} names[] = {
		{"/proc/self", ""},
		{"/dev/fd", "/fd"},
		{"/dev/stdin", "/fd/0"},
		{"/dev/stdout", "/fd/1"},
		{"/dev/stderr", "/fd/2"},
	};
	int32_t pid = stop->process->pid;
	const char *rest = after_prefix(path, "/proc/thread-self");

	if (rest && (*rest == '/' || !*rest)) {
		snprintf(ret, PATH_MAX + 64, "/proc/%" PRId32 "/task/%" PRId32 "%s", pid, stop->tid, rest);
		return true;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		rest = after_prefix(path, names[i].prefix);
		if (!rest || (*rest != '/' && *rest))
			continue;
		snprintf(ret, PATH_MAX + 64, "/proc/%" PRId32 "%s%s", pid, names[i].below, rest);
		return true;
	}
	return false;
}

int follow_path_open_known(const struct follow_process *process, const char *path)
{
	return process->foreign ? open_in_root(process->pid, path, RESOLVE_CACHED)
				: open_at(AT_FDCWD, path, RESOLVE_CACHED);
}

/* Asks no file system for anything. */
static int open_cached(const struct follow_stop *stop, int folder, const char *path)
{
	char name[PATH_MAX + 64];
	_cleanup_close_ int start = -1;

	if (follow_path_own(stop, path, name))
		return open_at(AT_FDCWD, name, RESOLVE_CACHED);
	if (path[0] == '/')
		return follow_path_open_known(stop->process, path);
	follow_path_folder(stop->tid, folder, name);
	start = open(name, O_PATH | O_CLOEXEC);
	if (start < 0)
		return -errno;
	return path[0] ? open_at(start, path, RESOLVE_CACHED) : TAKE_FD(start);
}

/* Whatever lies there: the caller opens it if it is of interest. Returns 0 or negative errno. */
static int look_at(const struct follow_stop *stop, int folder, const char *path, char name[PATH_MAX + 64],
	struct stat *ret)
{
	if (!follow_path_own(stop, path, name)) {
		name[0] = 0;
		if (path[0] != '/')
			follow_path_folder(stop->tid, folder, name);
		if (path[0] != '/' && path[0])
			strcat(name, "/");
		strcat(name, path);
	}
	return stat(name, ret) < 0 ? -errno : 0;
}

/* Whether it is a file that can be touched; -EEXIST for one that is known and need not be. */
static int judge(struct touched *touched, const struct stat *status, bool only_new)
{
	if (S_ISCHR(status->st_mode) && status->st_rdev == makedev(MISC_MAJOR, FUSE_MINOR))
		touched->serves = true;
	if (only_new && touched_find(touched, status) != TOUCHED_NONE)
		return -EEXIST;
	return S_ISREG(status->st_mode) || S_ISDIR(status->st_mode) ? 0 : -EINVAL;
}

int follow_path_open(
	struct touched *touched, const struct follow_stop *stop, int folder, const char *path, bool only_new)
{
	char name[PATH_MAX + 64];
	_cleanup_close_ int fd = -1;
	struct stat status;
	int r;

	if (!touched->serves && !(path[0] == '/' && stop->process->foreign)) {
		r = look_at(stop, folder, path, name, &status);
		r = r < 0 ? r : judge(touched, &status, only_new);
		if (r < 0)
			return r;
		fd = open(name, O_PATH | O_CLOEXEC);
		return fd < 0 ? -errno : TAKE_FD(fd);
	}
	fd = touched->serves ? open_cached(stop, folder, path) : open_in_root(stop->tid, path, 0);
	if (fd < 0)
		return fd;
	if (touched->serves && opens_may_wait(touched->opens, fd, stop->process->pid))
		return -EAGAIN;
	r = fstat(fd, &status) < 0 ? -errno : judge(touched, &status, only_new);
	return r < 0 ? r : TAKE_FD(fd);
}
