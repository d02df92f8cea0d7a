/* SPDX-License-Identifier: MIT */
/*
 * Plan mode. One open finds the plan (its name is derived from the program's path), one pread reads its header and
 * probes, and the probes show whether the start is cold. Only the prefetcher reads the rest of the plan. If the plan has a
 * rule, it leads to the plan for starts with these arguments (format/asked.h), which is one open and one pread more.
 *
 * Nothing is mapped: if somebody truncated a mapped file, the program would get SIGBUS.
 */
#include "plan/plan.h"

#include "plan/resident.h"

#define PLAN_READAHEAD (128 << 10) /* bytes */
#define PROBES_READ    8 /* of the plan's 16 at most: some 10 microseconds each, and one cold page is enough */

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

/* The n-th folder of plans is a user's home, or lies below it. */
static bool is_in_home(unsigned int n)
{
	const struct state_environment *folders = &shim_start.folders;

	return n == 0 && !folders->root && !state_variable_set(folders->state) &&
		(state_variable_set(folders->xdg_state_home) || state_variable_set(folders->home));
}

/*
 * Opens for reading a plan that is open with O_PATH, if it may be trusted. A home may lie on a server that does not answer, which would
 * take the program's time, and its signals with it: such a plan is left. Returns a descriptor, or a negative number.
 */
static int open_trusted(struct plan_target *target, unsigned int n, int path_fd)
{
	struct stat status;

	if (!shim_may_act(&target->may_act) || (is_in_home(n) && !shim_on_this_machine(path_fd)) ||
		sys_fstat(path_fd, &status) != 0)
		return -1;
	target->linked |= (status.st_mode & MODE_KIND) == MODE_LINK;
	if (!state_file_trusted(status.st_uid, status.st_mode, sys_geteuid()))
		return -1;
	return shim_open_regular(path_fd);
}

/* Opens the plan of exactly that path, with that suffix, in the n-th folder of plans. `path` is room for its path. Returns
 * a descriptor, or a negative number if there is no trusted one. */
static __attribute__((noinline)) int plan_open_named(
	struct plan_target *target, unsigned int n, const char *suffix, char path[SHIM_PATH_MAX])
{
	int named, fd;

	if (!state_file(&shim_start.folders, n, suffix, target->path, path, SHIM_PATH_MAX))
		return -1;
	named = sys_open(path, O_PATH | O_NOFOLLOW);
	if (named < 0)
		return -1;
	fd = open_trusted(target, n, named);
	sys_close(named);
	return fd;
}

static __attribute__((noinline)) int plan_open(struct plan_target *target, unsigned int n)
{
	char path[SHIM_PATH_MAX];

	return plan_open_named(target, n, STATE_PLAN_SUFFIX, path);
}

/* Reads the head of a plan, and asks for all of it at once: the prefetcher needs the rest in a moment, and another read
 * would be another seek. */
static bool head_read(int fd, char head[PLAN_HEAD_MAX])
{
	long size;

	raw_syscall(__NR_readahead, fd, 0, PLAN_READAHEAD, 0, 0, 0);
	size = sys_pread(fd, head, PLAN_HEAD_MAX, 0);
	return size > 0 && plan_head_check(head, (size_t)size);
}

/*
 * The key of this start by the rule in the head. To save stack, the head itself serves as the room to find it in, so it must
 * be read again.
 */
static uint64_t key_of_start(const struct plan_target *target, char head[PLAN_HEAD_MAX])
{
	const char *rule = plan_head_rule(head);
	struct asked *asked = (struct asked *)(head + ASKED_RULE_MAX);
	size_t i = 0;

	_Static_assert(ASKED_RULE_MAX % 8 == 0 && ASKED_RULE_MAX + sizeof(*asked) <= PLAN_HEAD_MAX, "room");
	do
		head[i] = rule[i]; /* the rule lies behind the header, so this moves it to the front */
	while (rule[i++]);
	asked_find(head, target->arguments, asked);
	return asked->key;
}

/*
 * Opens the plan of this start to which the one in the head leads, in the same folder. Returns a descriptor with the head
 * of that plan, or a negative number with a head that must be read again.
 */
static int open_for_start(struct plan_target *target, unsigned int n, char head[PLAN_HEAD_MAX])
{
	uint64_t key = key_of_start(target, head);
	char suffix[STATE_ASKED_SIZE];
	int fd;

	if (key == 0)
		return -1;
	state_asked_suffix(key, suffix);
	fd = plan_open_named(target, n, suffix, head);
	if (fd >= 0 && head_read(fd, head) && LE64(((const struct plan_header *)head)->asked) == key)
		return fd;
	if (fd >= 0)
		sys_close(fd);
	return -1;
}

/*
 * Reads the open plan of the n-th folder, or the one of this start to which it leads; then that one is open instead. A
 * function of its own, so that the buffer takes stack only where there is a plan: the caller's stack may be small.
 */
static __attribute__((noinline)) bool plan_read(
	struct plan_target *target, unsigned int n, int fd, struct plan *ret)
{
	_Alignas(8) char head[PLAN_HEAD_MAX];
	const struct plan_header *header = (const struct plan_header *)head;

	if (!head_read(fd, head))
		return false;
	ret->leads = header->rule != 0;
	if (ret->leads && target->arguments) {
		int own = open_for_start(target, n, head);

		if (own >= 0) {
			sys_close(fd);
			fd = own;
			ret->leads = false;
		} else if (!head_read(fd, head)) {
			return false;
		}
	}
	ret->wait_ms = LE32(header->wait_ms);
	ret->cold = head_is_cold(head);
	ret->fd = fd;
	return true;
}

/* A plan of the start, in whichever folder, goes before a plan for any start; otherwise the first folder counts. */
static bool plan_of_path(struct plan_target *target, struct plan *ret)
{
	bool found = false;

	for (unsigned int n = 0; n < STATE_FOLDERS_MAX; n++) {
		struct plan plan = *ret;
		int fd = plan_open(target, n);

		if (fd < 0)
			continue;
		if (!plan_read(target, n, fd, &plan)) {
			sys_close(fd);
			continue;
		}
		if (found && (plan.leads || plan.fd == fd)) {
			sys_close(plan.fd); /* it is for any start, too */
			continue;
		}
		if (found)
			sys_close(ret->fd);
		*ret = plan;
		found = true;
		if (!plan.leads)
			return true;
	}
	return found;
}

bool plan_find_by_given(struct plan_target *target, struct plan *ret)
{
	if (target->path[0] != '/')
		return false;
	return plan_of_path(target, ret) ||
		(target->linked && path_resolve(target) && plan_of_path(target, ret));
}

bool plan_find(struct plan_target *target, struct plan *ret)
{
	if (plan_find_by_given(target, ret))
		return true;
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
