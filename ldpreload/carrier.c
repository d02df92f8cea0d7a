/* SPDX-License-Identifier: MIT */
/*
 * Problem: the prefetcher was started by another process, in which the hook ran, and the program that is to wait for it
 * shares nothing with that but the plan. Whether somebody holds the lock on a plan is no sign: everybody who may read
 * root's plans may lock them, and would hold up other users' programs.
 *
 * So the prefetcher also holds a record lock of fcntl(2), for which the kernel names the holder, and waited for is only
 * a process that is the user's own. Real and saved ids count as well as effective ones: a stranger could take the lock and
 * then execute a set-user-ID program, which keeps it.
 */
#include "carrier.h"

#include "shim.h"

#include <linux/poll.h>
#include <linux/time_types.h>

#include "format/plan-locks.h"

/* The process that has marked the plan, as this process sees its id; 0 if there is none to be seen. */
static int carrier_of(int plan_fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_start = PLAN_LOCK_CARRIER, .l_len = 1}; /* who is in its way? */

	if (raw_syscall(__NR_fcntl, plan_fd, F_GETLK, (long)&lock, 0, 0, 0) != 0 || lock.l_type == F_UNLCK)
		return 0;
	return lock.l_pid > 0 ? lock.l_pid : 0;
}

/* Whether the real, effective, saved and file-system user of the process is the user of ours. */
static bool same_user(int process)
{
	char path[40], line[64];
	struct shim_text name = shim_text(path, sizeof(path)), ids = shim_text(line, sizeof(line));

	shim_text_add(&name, "/proc/");
	shim_text_add_number(&name, (uint64_t)process);
	shim_text_add(&name, "/status");
	shim_text_add(&ids, "\nUid:");
	for (int i = 0; i < 4; i++) {
		shim_text_add(&ids, "\t");
		shim_text_add_number(&ids, sys_geteuid());
	}
	shim_text_add(&ids, "\n");
	return shim_status_says(path, line);
}

static void mark(int fd, long byte)
{
	struct flock lock = {.l_type = F_RDLCK, .l_start = byte, .l_len = 1};

	raw_syscall(__NR_fcntl, fd, F_SETLK, (long)&lock, 0, 0, 0);
}

void carrier_mark(int fd)
{
	mark(fd, PLAN_LOCK_CARRIER);
}

void carrier_wait(int plan_fd, unsigned int limit_ms)
{
	struct __kernel_timespec limit = {.tv_sec = limit_ms / 1000, .tv_nsec = limit_ms % 1000 * 1000000};
	struct pollfd ended = {.events = POLLIN};
	int process = carrier_of(plan_fd);

	if (process == 0)
		return;
	ended.fd = (int)raw_syscall(__NR_pidfd_open, process, 0, 0, 0, 0, 0);
	if (ended.fd < 0) /* before Linux 5.3 */
		return;
	/* Asked again: the descriptor may be that of another process, if the prefetcher has ended meanwhile. */
	if (same_user(process) && carrier_of(plan_fd) == process) {
		mark(plan_fd, PLAN_LOCK_WAITER);
		raw_syscall(__NR_ppoll, (long)&ended, 1, (long)&limit, 0, 0, 0);
	}
	sys_close(ended.fd);
}
