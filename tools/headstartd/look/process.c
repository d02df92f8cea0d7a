/* SPDX-License-Identifier: MIT */
#include "headstartd/look/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/links.h"
#include "base/files/same-file.h"
#include "base/run/process-file.h"
#include "base/strings.h"
#include "base/times.h"
#include "elf/script.h"
#include "format/cgroup-line.h"
#include "format/recording.h"
#include "format/surroundings.h"

#define PROC_PATH_SIZE  48
#define ARGUMENTS_BYTES (256u << 10) /* a start with more is treated as one without arguments */
#define ARGUMENTS_MAX   4096u
#define STATUS_BYTES    2048        /* of its beginning, which has what we look for */
#define IDS_SIZE        64          /* more than one line, which is what the first user namespace has */
#define GROUPS_MAX      (64u << 10) /* bytes of text */
#define PAUSE_MAX_MS    128         /* between two looks at it; a process can leave us to wait for nothing */
#define EXECUTES_MS     5000        /* for the pages of the program that a process executes, at most */

static const char *proc_path(char path[PROC_PATH_SIZE], int32_t pid, const char *file)
{
	snprintf(path, PROC_PATH_SIZE, "/proc/%" PRId32 "/%s", pid, file);
	return path;
}

static bool read_link(const char *path, char ret[PATH_MAX])
{
	ssize_t n = readlink(path, ret, PATH_MAX - 1);

	ret[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* The first bytes of a small file, with a NUL behind them. */
static bool read_start(int32_t pid, const char *file, char *text, size_t size)
{
	char path[PROC_PATH_SIZE];
	_cleanup_close_ int fd = open(proc_path(path, pid, file), O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* Our own namespaces, once they are read. Within another user namespace a user has many ids, each with a share of the helpers. */
static bool shares_namespaces(int32_t pid)
{
	static struct {
		const char *file;
		char ours[PATH_MAX];
	} namespaces[] = {{.file = "ns/mnt"}, {.file = "ns/user"}};

	for (size_t i = 0; i < sizeof(namespaces) / sizeof(*namespaces); i++) {
		char path[PROC_PATH_SIZE], its[PATH_MAX];
		char *ours = namespaces[i].ours;

		if (!ours[0] && !read_link(proc_path(path, getpid(), namespaces[i].file), ours)) {
			if (errno == ENOENT)
				continue; /* the kernel has no namespaces of this kind */
			return false;
		}
		if (!read_link(proc_path(path, pid, namespaces[i].file), its) || !streq(ours, its))
			return false;
	}
	return true;
}

static bool is_here(int32_t pid)
{
	char path[PROC_PATH_SIZE], its[PATH_MAX];

	return shares_namespaces(pid) && read_link(proc_path(path, pid, "root"), its) && streq(its, "/");
}

/*
 * Whether the name leads to the open file: that may lie on a mount of another namespace (/proc/PID/root), or on one that is mounted nowhere,
 * where it may have any name. It was just used, so the kernel has cached the name.
 */
static bool is_name_of(int fd, const char *name)
{
	struct statx status;

	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &status) == 0 &&
		path_leads_to(name, &status, true);
}

static bool is_image_here(const struct process_seen *seen)
{
	_cleanup_close_ int fd = process_open(seen->pid, O_PATH, "exe");

	return fd >= 0 && is_name_of(fd, seen->image);
}

/*
 * The name of what was executed, by what the kernel has cached of the path: it has just followed the same path itself.
 * With RESOLVE_CACHED (Linux 5.12) this never waits.
 */
static bool resolve(const struct process_seen *seen, char ret[PATH_MAX])
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_CACHED};
	_cleanup_close_ int folder = -1, fd = -1;
	char path[PROC_PATH_SIZE];

	if (seen->executed[0] != '/')
		folder = open(proc_path(path, seen->pid, "cwd"), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (seen->executed[0] != '/' && folder < 0)
		return false;
	fd = (int)syscall(SYS_openat2, folder < 0 ? AT_FDCWD : folder, seen->executed, &how, sizeof(how));
	if (fd < 0 || path_of_fd(fd, ret) < 0)
		return false;
	return streq(ret, seen->image) || is_name_of(fd, ret);
}

static bool read_status(int32_t pid, char text[STATUS_BYTES])
{
	return read_start(pid, "status", text, STATUS_BYTES);
}

static uid_t user_of(const char *status)
{
	const char *line = strstr(status, "\nUid:");
	unsigned user;

	return line && sscanf(line, "\nUid: %u", &user) == 1 ? user : (uid_t)-1;
}

bool process_see(struct process_seen *seen)
{
	char path[PROC_PATH_SIZE], status[STATUS_BYTES];
	uint64_t parent;

	if (!read_link(proc_path(path, seen->pid, "exe"), seen->image))
		return false;
	(void)read_status(seen->pid, status);
	seen->named = seen->here = is_here(seen->pid) && is_image_here(seen);
	seen->parent = seen->here && number_of_line(status, "PPid:", &parent) ? (int32_t)parent : 0;
	seen->user = user_of(status);
	if (!seen->here || !resolve(seen, seen->program))
		memcpy(seen->program, seen->image, sizeof(seen->program));
	return true;
}

bool process_executed(const struct process_seen *seen, const char *program)
{
	_cleanup_free_ char *executed = NULL;

	return streq(program, seen->image) ||
		(script_executed(program, NULL, &executed) == 0 && streq(executed, seen->image));
}

bool process_bytes_read(int32_t pid, uint64_t *ret)
{
	char text[512];
	const char *line;

	if (!read_start(pid, "io", text, sizeof(text)))
		return false;
	line = strstr(text, "\nread_bytes:");
	return line && number_of_line(line + 1, "read_bytes:", ret);
}

/* pidfd_info of <linux/pidfd.h> as it was at first, in Linux 6.13. */
struct pidfd_information {
	uint64_t mask, group;
	uint32_t pid, process, parent, user, others[7], status;
};
#define PIDFD_INFORMATION _IOWR(0xff, 11, struct pidfd_information)
#define PIDFD_HAS_USERS   2u

/* Needs nothing of the process that lasts: it may have very many groups, and memory that waits for a file server before it goes. */
static bool user_by_pidfd(int32_t pid, uid_t *ret)
{
	struct pidfd_information information = {.mask = PIDFD_HAS_USERS};
	_cleanup_close_ int fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);

	if (fd < 0 || ioctl(fd, PIDFD_INFORMATION, &information) < 0 || !(information.mask & PIDFD_HAS_USERS))
		return false;
	*ret = information.user;
	return true;
}

uid_t process_user(int32_t pid)
{
	char status[STATUS_BYTES];
	uid_t user;

	if (user_by_pidfd(pid, &user))
		return user;
	return read_status(pid, status) ? user_of(status) : (uid_t)-1;
}

uid_t process_login_user(int32_t pid)
{
	char text[IDS_SIZE];
	unsigned user;

	return read_start(pid, "loginuid", text, sizeof(text)) && sscanf(text, "%u", &user) == 1 ? user
												 : (uid_t)-1;
}

bool process_shares_ids(int32_t pid)
{
	char ours[IDS_SIZE], its[IDS_SIZE];

	/* Both are empty if the kernel has no user namespaces. */
	(void)read_start(getpid(), "uid_map", ours, sizeof(ours));
	(void)read_start(pid, "uid_map", its, sizeof(its));
	return streq(ours, its);
}

bool process_shares_mounts(int32_t pid)
{
	char ours[IDS_SIZE], its[IDS_SIZE];

	return !read_start(getpid(), "mountinfo", ours, sizeof(ours)) ||
		!read_start(pid, "mountinfo", its, sizeof(its)) || atoi(ours) == atoi(its);
}

bool process_marks(int32_t pid, struct process_marks *ret)
{
	char path[PROC_PATH_SIZE], mounts[IDS_SIZE];
	struct stat status;

	if (stat(proc_path(path, pid, ""), &status) < 0 ||
		!read_start(pid, "mountinfo", mounts, sizeof(mounts)))
		return false;
	ret->owner = status.st_uid;
	ret->mount = atoi(mounts);
	return true;
}

/* "Uid:" or "Gid:" of a process's status, followed by four numbers: the real, effective and saved one, and that for files. */
static bool one_id(const char *status, const char *key, unsigned *ret)
{
	const char *line = strstr(status, key);
	unsigned effective, saved, files;

	return line && sscanf(line + strlen(key), "%u %u %u %u", ret, &effective, &saved, &files) == 4 &&
		effective == *ret && saved == *ret && files == *ret;
}

/* Words of stat (proc(5)) that are numbers. */
enum stat_word { STAT_BEGAN = 22, STAT_ENVIRONMENT = 50, STAT_ENVIRONMENT_END = 51 };

static bool stat_number(int32_t pid, enum stat_word word, uint64_t *ret)
{
	char text[1024];
	const char *at;

	if (!read_start(pid, "stat", text, sizeof(text)))
		return false;
	at = strrchr(text, ')'); /* ends the second word, which may have spaces */
	for (int i = 2; at && i < (int)word; i++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, " %" SCNu64, ret) == 1;
}

bool process_owner(int32_t pid, struct process_owner *ret)
{
	struct process_owner owner;
	char text[STATUS_BYTES];
	unsigned user, group;

	if (!stat_number(pid, STAT_BEGAN, &owner.began) || !read_status(pid, text) ||
		!one_id(text, "\nUid:", &user) || !one_id(text, "\nGid:", &group) || user == 0)
		return false;
	owner.user = user;
	owner.group = group;
	*ret = owner;
	return true;
}

bool process_in_service(int32_t pid)
{
	_cleanup_free_ char *groups = NULL;
	char path[PROC_PATH_SIZE], *rest = NULL;
	size_t size;

	if (access(SURROUNDINGS_EVERYWHERE, F_OK) == 0)
		return false;
	if (read_pseudo_file(proc_path(path, pid, "cgroup"), GROUPS_MAX, &groups, &size) < 0)
		return true;
	for (char *text = strtok_r(groups, "\n", &rest); text; text = strtok_r(NULL, "\n", &rest)) {
		struct cgroup_line line;

		if (cgroup_line_split(text, &line) && surroundings_is_service(line.path))
			return true;
	}
	return false;
}

/* One that has ended, and whose parent has not waited for it yet, has no program any more, and an empty environment. */
static bool has_ended(int32_t pid)
{
	char path[PROC_PATH_SIZE], image[PATH_MAX];

	return !read_link(proc_path(path, pid, "exe"), image);
}

/* While it executes a program, it has the memory of that, and may wait for its pages, but no environment there yet. */
static bool has_no_environment(int32_t pid)
{
	uint64_t start, end;

	return stat_number(pid, STAT_ENVIRONMENT, &start) && stat_number(pid, STAT_ENVIRONMENT_END, &end) &&
		start == end && end > 0;
}

static int read_environment(int32_t pid, char **ret, size_t *ret_size)
{
	char path[PROC_PATH_SIZE];

	for (unsigned pause_ms = 1, waited_ms = 0; waited_ms < EXECUTES_MS; waited_ms += pause_ms) {
		int r = read_pseudo_file(proc_path(path, pid, "environ"), ARGUMENTS_BYTES, ret, ret_size);

		if (r < 0 || *ret_size > 0)
			return r;
		if (has_ended(pid))
			break;
		if (has_no_environment(pid))
			return 0;
		free(TAKE_PTR(*ret));
		usleep(pause_ms * 1000);
		pause_ms = pause_ms < PAUSE_MAX_MS ? pause_ms * 2 : pause_ms;
	}
	return -ESRCH;
}

bool process_switched_off(int32_t pid)
{
	_cleanup_free_ char *environment = NULL;
	size_t size;

	if (read_environment(pid, &environment, &size) < 0)
		return true;
	for (size_t at = 0; at < size; at += strlen(environment + at) + 1) {
		const char *recording = after_prefix(environment + at, "HEADSTART_RECORDING=");

		if (streq(environment + at, "HEADSTART=off") ||
			(recording && boottime_seconds() < recording_end(recording)))
			return true;
	}
	return false;
}

/* Where the script's own arguments begin: the kernel puts the interpreter in front, and one argument of its own. */
static size_t skip_interpreter(const struct process_seen *seen, const char *program, char *const *arguments)
{
	if (streq(program, seen->image))
		return 0;
	for (size_t i = 1; i <= 2 && arguments[i - 1] && arguments[i]; i++)
		if (streq(arguments[i], seen->executed))
			return i;
	return 0;
}

int process_arguments(const struct process_seen *seen, const char *program, char ***ret)
{
	char path[PROC_PATH_SIZE];
	char *text, **arguments;
	size_t size, n = 0, skipped;
	int r = read_pseudo_file(proc_path(path, seen->pid, "cmdline"), ARGUMENTS_BYTES, &text, &size);

	if (r < 0)
		return r;
	arguments = calloc(ARGUMENTS_MAX + 1, sizeof(*arguments));
	if (!arguments) {
		free(text);
		return -ENOMEM;
	}
	for (size_t at = 0; at < size && n < ARGUMENTS_MAX; at += strlen(text + at) + 1)
		arguments[n++] = text + at;
	if (n == 0) {
		free(text);
		free(arguments);
		return -ENODATA;
	}
	skipped = skip_interpreter(seen, program, arguments);
	memmove(text, arguments[skipped],
		size + 1 - (size_t)(arguments[skipped] - text)); /* with the NUL behind all */
	for (size_t i = 0, at = 0; i + skipped <= n; at += arguments[i] ? strlen(text + at) + 1 : 0, i++)
		arguments[i] = i + skipped < n ? text + at : NULL;
	*ret = arguments;
	return 0;
}

void process_arguments_free(char **arguments)
{
	if (arguments)
		free(arguments[0]);
	free(arguments);
}

static int open_folder(int32_t pid, const char *which)
{
	char path[PROC_PATH_SIZE];
	int fd = open(proc_path(path, pid, which), O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int process_place(const struct process_seen *seen, uid_t viewer, struct asked_place *ret)
{
	struct asked_place place = {.folder = open_folder(seen->pid, "cwd"), .root = -1, .viewer = viewer};

	if (place.folder < 0)
		place.folder = AT_FDCWD;
	if (!seen->here) {
		place.root = open_folder(seen->pid, "root");
		if (place.root < 0) {
			process_place_release(&place);
			return -ESRCH;
		}
	}
	*ret = place;
	return 0;
}

void process_place_release(struct asked_place *place)
{
	if (place->folder >= 0)
		close(place->folder);
	if (place->root >= 0)
		close(place->root);
}
