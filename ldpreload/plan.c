/* SPDX-License-Identifier: MIT */
/*
 * Plan mode. One open finds the plan (its name is derived from the program's path), one pread reads its header and
 * probes, and the probes show whether the start is cold. Only the prefetcher reads the rest of the plan.
 *
 * Nothing is mapped: if somebody truncated a mapped file, the program would get SIGBUS.
 */
#include "plan.h"

#include "resident.h"

#define PLAN_READAHEAD (128 << 10) /* bytes */
#define PROBES_READ    8 /* of the plan's 16 at most: 1.5 microseconds each, and one cold page is enough */

/*
 * Whether no folder on an absolute path is a symbolic link or "..", found out with open(2) alone. The last component
 * may still be a link: only opening it would show that, and opening a device has effects. Signs (format/state-folder.h)
 * mark such links. Changes the path on the way, and restores it.
 */
static bool folders_are_canonical(char *path)
{
	for (size_t i = 0; path[i]; i++) {
		int fd;

		if (path[i] != '/')
			continue;
		if (path[i + 1] == '/' || path[i + 1] == '.' || !path[i + 1])
			return false;
		if (i == 0)
			continue;
		path[i] = '\0';
		fd = sys_open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
		path[i] = '/';
		if (fd < 0)
			return false;
		sys_close(fd);
	}
	return true;
}

/*
 * Where /bin and /sbin are links, they lead to their namesakes in /usr (file-hierarchy(7)). Assuming so saves the
 * commonest paths the look-up in /proc; on a system where it is wrong, the plan would not be found. Puts "/usr" in
 * front of such a path; returns whether it is one.
 */
static bool path_to_merged_folder(char path[SHIM_PATH_MAX])
{
	static const char usr[] = "/usr";
	const size_t more = sizeof(usr) - 1;
	size_t size = shim_length(path) + 1;

	if ((!shim_begins(path, "/bin/") && !shim_begins(path, "/sbin/")) || size + more > SHIM_PATH_MAX)
		return false;
	while (size-- > 0)
		path[size + more] = path[size];
	for (size_t i = 0; i < more; i++)
		path[i] = usr[i];
	return true;
}

/* Replaces the path by the kernel's path of the open file. */
static bool path_resolve(struct plan_target *target)
{
	char link[SHIM_FD_PATH_SIZE];
	int fd = target->fd;
	long length;

	if (!shim_may_act(&target->may_act))
		return false;
	if (fd < 0)
		fd = sys_open(target->path, O_PATH);
	if (fd < 0)
		return false;
	shim_fd_path(fd, link);
	length = sys_readlink(link, target->path, sizeof(target->path));
	if (fd != target->fd)
		sys_close(fd);
	if (length <= 0 || length >= (long)sizeof(target->path) || target->path[0] != '/')
		return false;
	target->path[length] = '\0';
	return true;
}

static bool head_is_cold(const char *head)
{
	const struct plan_header *header = (const struct plan_header *)head;
	const struct plan_probe *probes = plan_head_probes(head);
	uint32_t count = LE32(header->probe_count);
	uint32_t step = (count + PROBES_READ - 1) / PROBES_READ;

	for (uint32_t i = 0; i < count; i += step)
		if (resident_planned(head + LE16(probes[i].path),
			    (uint64_t)LE32(probes[i].page) * LE32(header->page_size)) == RESIDENT_NO)
			return true;
	return false;
}

/* A function of its own, so that the buffer takes stack only where there is a plan: the caller's stack may be small. */
static __attribute__((noinline)) bool plan_read(int fd, struct plan *ret)
{
	_Alignas(8) char head[PLAN_HEAD_MAX];
	long size;

	/* Asks for all of it at once: the prefetcher needs the rest in a moment, and another read would be another
	 * seek. */
	raw_syscall(__NR_readahead, fd, 0, PLAN_READAHEAD, 0, 0, 0);
	size = sys_pread(fd, head, sizeof(head), 0);
	if (size <= 0 || !plan_head_check(head, (size_t)size))
		return false;
	ret->wait_ms = LE32(((const struct plan_header *)head)->wait_ms);
	ret->cold = head_is_cold(head);
	ret->fd = fd;
	return true;
}

/* Opens for reading a plan that is open with O_PATH, if it may be trusted. Returns a descriptor, or a negative
 * number. */
static int open_trusted(struct plan_target *target, int path_fd)
{
	struct stat status;

	if (!shim_may_act(&target->may_act) || sys_fstat(path_fd, &status) != 0)
		return -1;
	target->linked |= (status.st_mode & MODE_KIND) == MODE_LINK;
	if (!state_file_trusted(status.st_uid, status.st_mode, sys_geteuid()))
		return -1;
	return shim_open_regular(path_fd);
}

/* Opens the plan of exactly that path in the n-th folder of plans. Returns a descriptor, or a negative number if there
 * is no trusted one. */
static __attribute__((noinline)) int plan_open(struct plan_target *target, unsigned int n)
{
	char path[SHIM_PATH_MAX];
	int named, fd;

	if (!state_file(&shim_start.folders, n, STATE_PLAN_SUFFIX, target->path, path, sizeof(path)))
		return -1;
	named = sys_open(path, O_PATH | O_NOFOLLOW);
	if (named < 0)
		return -1;
	fd = open_trusted(target, named);
	sys_close(named);
	return fd;
}

static bool plan_of_path(struct plan_target *target, struct plan *ret)
{
	for (unsigned int n = 0; n < STATE_FOLDERS_MAX; n++) {
		int fd = plan_open(target, n);

		if (fd < 0)
			continue;
		if (plan_read(fd, ret))
			return true;
		sys_close(fd);
	}
	return false;
}

bool plan_find_by_given(struct plan_target *target, struct plan *ret)
{
	ret->by_given = true;
	if (target->path[0] != '/')
		return false;
	return plan_of_path(target, ret) ||
		(target->linked && path_resolve(target) && plan_of_path(target, ret));
}

bool plan_find(struct plan_target *target, struct plan *ret)
{
	if (plan_find_by_given(target, ret))
		return true;
	ret->by_given = false;
	if (target->linked)
		return false;
	if (target->path[0] == '/') {
		if (folders_are_canonical(target->path))
			return false;
		if (path_to_merged_folder(target->path) && folders_are_canonical(target->path))
			return plan_of_path(target, ret);
	}
	return path_resolve(target) && plan_of_path(target, ret);
}
