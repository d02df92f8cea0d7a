/* SPDX-License-Identifier: MIT */
/*
 * Plan mode. One open finds the plan (its name is derived from the program's path), one pread brings its
 * header and probes, the probes tell a warm start from a cold one; what follows in the plan is the
 * prefetcher's business.
 *
 * Nothing is mapped: a mapping of a file that somebody truncates is a SIGBUS in the program.
 */
#include "plan.h"

#include "resident.h"

#include "format/state-folder.h"

#define PLAN_READAHEAD (128 << 10) /* bytes */
#define PROBES_READ    8 /* of the plan's 16 at most: 1.5 microseconds each, and one cold page is enough */

/* Whether no component of an absolute path is a symbolic link or "..", told with nothing but open(2). */
static bool path_is_canonical(const char *path)
{
	/* Not waiting for what may have taken the program's place meanwhile: a FIFO, a terminal. */
	const int last = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	char prefix[SHIM_PATH_MAX];

	if (path[0] != '/')
		return false;
	for (size_t i = 0; path[i]; i++) {
		bool ends = path[i + 1] == '/' || !path[i + 1];
		int fd;

		prefix[i] = path[i];
		if (path[i] == '/' && (ends || path[i + 1] == '.'))
			return false;
		if (!ends)
			continue;
		prefix[i + 1] = '\0';
		fd = sys_open(prefix, path[i + 1] ? O_PATH | O_DIRECTORY | O_NOFOLLOW : last);
		if (fd < 0)
			return false;
		sys_close(fd);
	}
	return true;
}

/*
 * /bin and /sbin, where they are links, lead to their namesakes in /usr (file-hierarchy(7)). Taking that for
 * granted saves the most usual paths the /proc entry; were it wrong on some system, a plan there would not be
 * found.
 */
static bool path_in_merged_folder(const char *path)
{
	return shim_begins(path, "/bin/") || shim_begins(path, "/sbin/");
}

/* Whether the prefix and the path as given make a canonical path; then that is in target->path. */
static bool path_try(struct plan_target *target, const char *prefix)
{
	struct shim_text text = shim_text(target->path, sizeof(target->path));

	shim_text_add(&text, prefix);
	shim_text_add(&text, target->given);
	return !text.overflow && path_is_canonical(target->path);
}

/* The path of an open file as the kernel has it. */
static bool path_of_descriptor(int fd, char path[SHIM_PATH_MAX])
{
	char link[40];
	struct shim_text text = shim_text(link, sizeof(link));
	long length;

	shim_text_add(&text, "/proc/self/fd/");
	shim_text_add_number(&text, (uint64_t)fd);
	length = sys_readlink(link, path, SHIM_PATH_MAX);
	if (length <= 0 || length >= SHIM_PATH_MAX || path[0] != '/')
		return false;
	path[length] = '\0';
	return true;
}

/* Finds target->path. */
static bool path_find(struct plan_target *target)
{
	bool found;
	int fd;

	if (target->given) {
		if (path_try(target, ""))
			return true;
		if (path_in_merged_folder(target->given) && path_try(target, "/usr"))
			return true;
	}
	if (!shim_unfiltered(&target->unfiltered))
		return false;
	if (target->fd >= 0)
		return path_of_descriptor(target->fd, target->path);
	fd = sys_open(target->given, O_PATH);
	if (fd < 0)
		return false;
	found = path_of_descriptor(fd, target->path);
	sys_close(fd);
	return found;
}

static bool head_is_cold(const char *head)
{
	const struct plan_header *header = (const struct plan_header *)head;
	const struct plan_probe *probes = plan_head_probes(head);
	uint32_t count = LE32(header->probe_count);
	uint32_t step = (count + PROBES_READ - 1) / PROBES_READ;

	for (uint32_t i = 0; i < count; i += step)
		if (resident_at(head + LE16(probes[i].path),
			    (uint64_t)LE32(probes[i].page) * LE32(header->page_size)) == RESIDENT_NO)
			return true;
	return false;
}

/* The buffer is on the stack only where there is a plan: the stack of who starts a program may be small. */
static __attribute__((noinline)) bool plan_read(int fd, struct plan *ret)
{
	_Alignas(8) char head[PLAN_HEAD_MAX];
	long size;

	/* All of it at once: the prefetcher needs the rest in a moment, and another read would be another
	 * seek. */
	raw_syscall(__NR_readahead, fd, 0, PLAN_READAHEAD, 0, 0, 0);
	size = sys_pread(fd, head, sizeof(head), 0);
	if (size <= 0 || !plan_head_check(head, (size_t)size))
		return false;
	ret->order = LE32(((const struct plan_header *)head)->order);
	ret->cold = head_is_cold(head);
	ret->fd = fd;
	return true;
}

static bool plan_open(struct plan_target *target, const char *path, struct plan *ret)
{
	struct stat status;
	int fd = sys_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

	if (fd == -ELOOP)
		target->linked = true;
	if (fd < 0)
		return false;
	if (shim_unfiltered(&target->unfiltered) && sys_fstat(fd, &status) == 0 &&
		state_file_trusted(status.st_uid, status.st_mode, sys_geteuid()) && plan_read(fd, ret))
		return true;
	sys_close(fd);
	return false;
}

/* The plan of the program of that path, whatever is there. */
static bool plan_look_up(struct plan_target *target, const char *program, struct plan *ret)
{
	const struct state_environment environment = {
		.state = shim_environment("HEADSTART_STATE"),
		.xdg_state_home = shim_environment("XDG_STATE_HOME"),
		.home = shim_environment("HOME"),
		.root = shim_start.uid == 0,
	};
	char path[SHIM_PATH_MAX];

	for (unsigned int n = 0; n < STATE_FOLDERS_MAX; n++)
		if (state_file(&environment, n, STATE_PLAN_SUFFIX, program, path, sizeof(path)) &&
			plan_open(target, path, ret))
			return true;
	return false;
}

bool plan_find(struct plan_target *target, struct plan *ret)
{
	return path_find(target) && plan_look_up(target, target->path, ret);
}

bool plan_find_as_given(struct plan_target *target, struct plan *ret)
{
	struct shim_text text = shim_text(target->path, sizeof(target->path));

	shim_text_add(&text, target->given);
	if (target->path[0] != '/' || text.overflow)
		return false;
	return plan_look_up(target, target->path, ret) || (target->linked && plan_find(target, ret));
}

bool plan_found_as_given(struct plan_target *target)
{
	struct plan other;

	if (!target->given)
		return false;
	if (shim_equal(target->given, target->path))
		return true;
	if (plan_look_up(target, target->given, &other)) {
		sys_close(other.fd);
		return false;
	}
	return target->linked;
}

bool plan_waited_for(const struct plan *plan)
{
	const char *wait = shim_environment("HEADSTART_WAIT");

	return plan->order == PLAN_ORDER_PHYSICAL && !(wait && shim_equal(wait, "0"));
}
