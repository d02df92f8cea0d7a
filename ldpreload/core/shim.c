/* SPDX-License-Identifier: MIT */
/* Whether the shim may act in this program, and what it asks the kernel in many places. */
#include "core/shim.h"

#include <linux/resource.h>
#include <linux/signal.h>
#include <linux/stat.h>

#include "format/kill-switch.h"
#include "format/on-this-machine.h"
#include "format/recording.h"

/* A file that cannot be read has no such line. Reads small pieces, since there may be little stack. */
bool shim_status_says(const char *path, const char *line)
{
	size_t length = shim_length(line), matched = 0;
	char piece[256];
	int fd = sys_open(path, O_RDONLY);
	bool says = false;
	long size;

	if (fd < 0)
		return false;
	while (!says && (size = sys_read(fd, piece, sizeof(piece))) > 0)
		for (long i = 0; i < size && !says; i++) {
			matched = piece[i] == line[matched] ? matched + 1 : piece[i] == '\n';
			says = matched == length;
		}
	sys_close(fd);
	return says;
}

/* Asks in the only way that no filter makes fatal; prctl(2) may be fatal. A filter belongs to a thread. */
static bool seccomp_off(void)
{
	return shim_status_says("/proc/thread-self/status", "\nSeccomp:\t0\n");
}

static bool on_signal_stack(void)
{
	stack_t stack;

	return raw_syscall(__NR_sigaltstack, 0, (long)&stack, 0, 0, 0, 0) != 0 ||
		(stack.ss_flags & SS_ONSTACK);
}

bool shim_may_act(enum shim_answer *answer)
{
	if (*answer == SHIM_NOT_ASKED)
		*answer = seccomp_off() && sys_getpid() != 1 && !on_signal_stack() ? SHIM_YES : SHIM_NO;
	return *answer == SHIM_YES;
}

bool shim_exists(const char *path)
{
	int fd = sys_open(path, O_PATH);

	if (fd >= 0)
		sys_close(fd);
	return fd >= 0;
}

__attribute__((noinline)) bool shim_on_this_machine(int path_fd)
{
	struct statx status;

	return raw_syscall(__NR_statx, path_fd, (long)"", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_UID,
		       (long)&status, 0) != 0 ||
		on_this_machine(status.stx_dev_major, status.stx_attributes_mask);
}

bool shim_recording_lasts(uint64_t end)
{
	char uptime[32];
	long size = 0;
	int fd;

	if (end == 0 || end == UINT64_MAX)
		return end != 0;
	fd = sys_open("/proc/uptime", O_RDONLY);
	if (fd >= 0) {
		size = sys_read(fd, uptime, sizeof(uptime) - 1);
		sys_close(fd);
	}
	if (size <= 0)
		return true;
	uptime[size] = '\0';
	return recording_number(uptime) < end;
}

bool shim_wanted(void)
{
	return !shim_start.secure && !shim_recording_lasts(shim_start.recording_end) &&
		shim_start.mode != SHIM_MODE_OFF && !shim_exists(KILL_SWITCH);
}

bool shim_may_grow_files(void)
{
	struct rlimit64 limit;

	return raw_syscall(__NR_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0) == 0 &&
		limit.rlim_cur == RLIM64_INFINITY;
}

void shim_fd_path(int fd, char path[SHIM_FD_PATH_SIZE])
{
	struct shim_text text = shim_text(path, SHIM_FD_PATH_SIZE);

	shim_text_add(&text,
		"/proc/thread-self/fd/"); /* /proc/self may have other descriptors: unshare(CLONE_FILES) */
	shim_text_add_number(&text, (uint64_t)fd);
}

int shim_open_regular(int path_fd)
{
	char path[SHIM_FD_PATH_SIZE];
	struct stat status;

	if (sys_fstat(path_fd, &status) != 0 || (status.st_mode & MODE_KIND) != MODE_REGULAR)
		return -EINVAL;
	shim_fd_path(path_fd, path);
	return sys_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

void shim_log(const char *program, const char *what)
{
	const char *file;
	char line[SHIM_PATH_MAX + 128];
	struct shim_text text;
	int fd;

	if (!shim_start.log || !shim_may_grow_files())
		return;
	file = shim_start.log + sizeof("HEADSTART_LOG=") - 1;
	if (file[0] != '/')
		return;
	fd = sys_open(file, O_WRONLY | O_APPEND | O_CREAT | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return;
	text = shim_text(line, sizeof(line));
	shim_text_add(&text, shim_name);
	shim_text_add(&text, " program=");
	for (; *program; program++) /* a newline in a path would begin another line */
		shim_text_add_character(
			&text, (unsigned char)*program < ' ' || *program == 0x7f ? '?' : *program);
	shim_text_add(&text, " pid=");
	shim_text_add_number(&text, (uint64_t)sys_getpid());
	shim_text_add(&text, " ");
	shim_text_add(&text, what);
	shim_text_add(&text, "\n");
	sys_write(fd, line, (size_t)(text.at - line));
	sys_close(fd);
}
