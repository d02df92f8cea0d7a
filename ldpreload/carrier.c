/* SPDX-License-Identifier: MIT */
/*
 * Problem: a program has to know whether a prefetcher is at work on its plan, to wait for it or to start no other. The
 * process that started the prefetcher shares nothing with this one but the plan. A lock on the plan proves nothing:
 * everybody who can read root's plans can lock them, and could hold up other users' programs or keep them from prefetching.
 *
 * So the prefetcher holds a record lock of fcntl(2), for which the kernel names the holder. The lock counts only if its holder
 * executes the prefetcher and belongs to this user. A stranger could take the lock and then execute a set-user-ID program, which keeps
 * it: real and saved ids count as well as effective ones, and where such a program makes all of them the same, its
 * executable tells it from the prefetcher. That also tells a process that has got the id of one that took the lock, left it
 * to others which share its descriptors, and is gone.
 */
#include "carrier.h"

#include "clock.h"
#include "prefetcher.h"
#include "shim.h"

#include <linux/poll.h>
#include <linux/time_types.h>

#include "format/plan-locks.h"

#define PROC_PATH_SIZE  40 /* bytes */
#define EXECVE_PAUSES   100
#define EXECVE_PAUSE_NS 100000

static int64_t now_ms(void)
{
	return now_us() / 1000;
}

/*
 * The process that has marked the plan within so many milliseconds from `since` on, as this process sees its id, and when
 * after `since` that was; 0 if there is none to be seen.
 */
static int carrier_of(int plan_fd, int64_t since, unsigned int within_ms, int64_t *ret_ms)
{
	struct flock lock = {/* who is in its way? */
		.l_type = F_WRLCK,
		.l_start = PLAN_LOCK_CARRIER + since,
		.l_len = within_ms + 1};

	if (raw_syscall(__NR_fcntl, plan_fd, F_GETLK, (long)&lock, 0, 0, 0) != 0 || lock.l_type == F_UNLCK ||
		lock.l_pid <= 0)
		return 0;
	*ret_ms = lock.l_start - PLAN_LOCK_CARRIER - since;
	return lock.l_pid;
}

/* Writes the path of a file of /proc about that process. */
static void proc_path(char path[PROC_PATH_SIZE], int process, const char *file)
{
	struct shim_text text = shim_text(path, PROC_PATH_SIZE);

	shim_text_add(&text, "/proc/");
	shim_text_add_number(&text, (uint64_t)process);
	shim_text_add(&text, file);
}

/* Whether the real, effective, saved and file-system user of the process is the user of ours. */
static bool same_user(int process)
{
	char path[PROC_PATH_SIZE], line[64];
	struct shim_text ids = shim_text(line, sizeof(line));

	proc_path(path, process, "/status");
	shim_text_add(&ids, "\nUid:");
	for (int i = 0; i < 4; i++) {
		shim_text_add(&ids, "\t");
		shim_text_add_number(&ids, sys_geteuid());
	}
	shim_text_add(&ids, "\n");
	return shim_status_says(path, line);
}

static bool status_of(const char *path, struct stat *ret)
{
	int fd = sys_open(path, O_PATH);
	bool found;

	if (fd < 0)
		return false;
	found = sys_fstat(fd, ret) == 0;
	sys_close(fd);
	return found;
}

static bool same_file(const char *path, const struct stat *status)
{
	struct stat other;

	return status_of(path, &other) && other.st_dev == status->st_dev && other.st_ino == status->st_ino;
}

/* Whether the process executes what this program would start as its prefetcher, or is the launcher, which carries a plan
 * out itself. */
static bool is_prefetcher(int process)
{
	char path[PROC_PATH_SIZE];
	struct stat executed;

	proc_path(path, process, "/exe");
	return status_of(path, &executed) &&
		(same_file(prefetcher_path(), &executed) || same_file(HEADSTART_PROGRAM_PATH, &executed));
}

/*
 * A prefetcher that has just been started may for a moment still have the executable of who started it: the kernel wakes who
 * waits for an execve in shared memory before it gives the new memory to the one that executes, and with one processor
 * lets it go on first, as far as into the program that it executes (seen with Linux 6.1). So it is looked at again, for
 * ten milliseconds or some more.
 */
static bool becomes_prefetcher(int process)
{
	struct __kernel_timespec pause;

	for (int i = 0; i < EXECVE_PAUSES; i++) {
		if (is_prefetcher(process))
			return true;
		pause = (struct __kernel_timespec){.tv_nsec = EXECVE_PAUSE_NS};
		raw_syscall(
			__NR_ppoll, 0, 0, (long)&pause, 0, 0, 0); /* sched_yield(2) may come back at once */
	}
	return false;
}

static void mark(int fd, int64_t byte)
{
	struct flock lock = {.l_type = F_RDLCK, .l_start = byte, .l_len = 1};

	raw_syscall(__NR_fcntl, fd, F_SETLK, (long)&lock, 0, 0, 0);
}

void carrier_mark(int fd)
{
	mark(fd, PLAN_LOCK_CARRIER + now_ms());
}

bool carrier_runs(int plan_fd, unsigned int limit_ms)
{
	int64_t left_ms;
	int process = carrier_of(plan_fd, now_ms() - limit_ms, limit_ms, &left_ms);

	return process != 0 && same_user(process) && is_prefetcher(process);
}

void carrier_wait(int plan_fd, unsigned int limit_ms)
{
	int64_t since = now_ms() - limit_ms, left_ms;
	struct pollfd ended = {.events = POLLIN};
	struct __kernel_timespec limit;
	int process = carrier_of(plan_fd, since, limit_ms, &left_ms);

	if (process == 0)
		return;
	ended.fd = (int)raw_syscall(__NR_pidfd_open, process, 0, 0, 0, 0, 0);
	if (ended.fd < 0) /* before Linux 5.3 */
		return;
	/* Asked again: the descriptor may be that of another process, if the prefetcher has ended meanwhile. */
	if (same_user(process) && becomes_prefetcher(process) &&
		carrier_of(plan_fd, since, limit_ms, &left_ms) == process) {
		mark(plan_fd, PLAN_LOCK_WAITER);
		limit = (struct __kernel_timespec){
			.tv_sec = left_ms / 1000, .tv_nsec = left_ms % 1000 * 1000000};
		raw_syscall(__NR_ppoll, (long)&ended, 1, (long)&limit, 0, 0, 0);
	}
	sys_close(ended.fd);
}
