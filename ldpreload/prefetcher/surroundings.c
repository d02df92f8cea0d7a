/* SPDX-License-Identifier: MIT */
/*
 * Problem: the init of its pid namespace, or a subreaper, inherits the prefetcher, and the prefetcher needs processes,
 * of which there may be few. No process may find a child that it did not start, and no fork(2) of the program may fail
 * because of us.
 *
 * So nothing is started where format/surroundings.h forbids it; nor where this process is a subreaper itself (no system
 * call shows one above us); nor where its children go to another pid namespace than its own, since the first of them
 * becomes pid 1 there; nor where a pids cgroup (v2 or v1), or RLIMIT_NPROC, leaves few processes.
 */
#include "prefetcher/surroundings.h"

#include "core/shim.h"

#include <linux/resource.h>

#include "format/cgroup-line.h"
#include "format/process-room.h"
#include "format/surroundings.h"

#define NUMBER_SIZE 24

static bool is_subreaper(void)
{
	enum { GET_CHILD_SUBREAPER = 37 }; /* <linux/prctl.h> */
	int subreaper = 0;

	return raw_syscall(__NR_prctl, GET_CHILD_SUBREAPER, (long)&subreaper, 0, 0, 0, 0) != 0 || subreaper;
}

/* Reads a link of /proc; "" if that fails. */
static void read_namespace(const char *path, char name[SURROUNDINGS_NAMESPACE_SIZE])
{
	long length = sys_readlink(path, name, SURROUNDINGS_NAMESPACE_SIZE - 1);

	name[length < 0 ? 0 : length] = '\0';
}

static bool namespace_fits(void)
{
	char children[SURROUNDINGS_NAMESPACE_SIZE], own[SURROUNDINGS_NAMESPACE_SIZE];

	read_namespace(SURROUNDINGS_PID_CHILDREN, children);
	if (shim_equal(children, SURROUNDINGS_FIRST))
		return true;
	read_namespace(SURROUNDINGS_PID_NAMESPACE, own);
	return own[0] && shim_equal(children, own) && shim_exists(SURROUNDINGS_EVERYWHERE);
}

/* Reads the first bytes of a file in /proc or /sys. Returns their number, or a negative one. */
static long read_head(const char *path, char *text, size_t size)
{
	int fd = sys_open(path, O_RDONLY);
	long n;

	if (fd < 0)
		return fd;
	n = sys_read(fd, text, size);
	sys_close(fd);
	return n;
}

/* The number in a file; PROCESS_ROOM_UNKNOWN also if there is no such file. */
static uint64_t read_number(const char *path)
{
	char text[NUMBER_SIZE];
	long size = read_head(path, text, sizeof(text));

	return size < 0 ? PROCESS_ROOM_UNKNOWN : process_room_number(text, (size_t)size);
}

/* Whether the control group in a folder has room. The path of the folder is in `path`, and ends at `end`. */
static bool group_has_room(char path[SHIM_PATH_MAX], char *end)
{
	struct shim_text text = {.at = end, .end = path + SHIM_PATH_MAX};
	uint64_t most, now;

	shim_text_add(&text, "/pids.max");
	if (text.overflow)
		return false;
	most = read_number(path);
	if (most == PROCESS_ROOM_UNKNOWN)
		return true;
	text = (struct shim_text){.at = end, .end = path + SHIM_PATH_MAX};
	shim_text_add(&text, "/pids.current");
	now = text.overflow ? PROCESS_ROOM_UNKNOWN : read_number(path);
	return now != PROCESS_ROOM_UNKNOWN && most >= now + PROCESS_ROOM_MIN;
}

/* Whether a control group and all above it have room. */
static __attribute__((noinline)) bool groups_have_room(const char *mount, const char *group)
{
	char path[SHIM_PATH_MAX];
	struct shim_text text = shim_text(path, sizeof(path));
	char *top, *end;

	shim_text_add(&text, mount);
	top = text.at;
	if (!shim_equal(group, "/"))
		shim_text_add(&text, group);
	if (text.overflow)
		return false;
	for (end = text.at; end > top; end--)
		if ((end == text.at || *end == '/') && !group_has_room(path, end))
			return false;
	return group_has_room(path, top);
}

/* Takes one line of /proc/PID/cgroup. */
static bool group_permits(const char *text)
{
	struct cgroup_line line;

	if (!cgroup_line_split(text, &line) ||
		(surroundings_is_service(line.path) && !shim_exists(SURROUNDINGS_EVERYWHERE)))
		return false;
	if (cgroup_line_has(&line, ""))
		return groups_have_room("/sys/fs/cgroup", line.path);
	return !cgroup_line_has(&line, "pids") || groups_have_room("/sys/fs/cgroup/pids", line.path);
}

/* Without this file there are no control groups. A line that is too long is not understood, and so forbids. */
static __attribute__((noinline)) bool groups_permit(void)
{
	char line[SHIM_PATH_MAX], piece[128];
	struct shim_text text = shim_text(line, sizeof(line));
	int fd = sys_open(SURROUNDINGS_GROUPS, O_RDONLY);
	bool permit = true;
	long size;

	if (fd < 0)
		return fd == -ENOENT;
	while (permit && (size = sys_read(fd, piece, sizeof(piece))) > 0) {
		for (long i = 0; i < size && permit; i++) {
			if (piece[i] != '\n') {
				shim_text_add_character(&text, piece[i]);
				continue;
			}
			permit = !text.overflow && group_permits(line);
			text = shim_text(line, sizeof(line));
		}
	}
	sys_close(fd);
	return permit;
}

static bool user_has_room(void)
{
	struct rlimit64 limit;
	char load[80];
	uint64_t now;
	long size;

	if (raw_syscall(__NR_prlimit64, 0, RLIMIT_NPROC, 0, (long)&limit, 0, 0) != 0)
		return false;
	if (limit.rlim_cur == RLIM64_INFINITY)
		return true;
	size = read_head("/proc/loadavg", load, sizeof(load));
	now = size < 0 ? PROCESS_ROOM_UNKNOWN : process_room_tasks(load, (size_t)size);
	return now != PROCESS_ROOM_UNKNOWN && limit.rlim_cur >= now + PROCESS_ROOM_MIN;
}

bool surroundings_permit(void)
{
	return !is_subreaper() && namespace_fits() && groups_permit() && user_has_room();
}
