/* SPDX-License-Identifier: MIT */
/*
 * Problem: a program has to know whether a prefetcher is at work on its plan, so that it waits for that one or starts
 * no second one. Its parent may have started the prefetcher, and the two share nothing but the plan. A lock on the plan
 * proves nothing: everybody who can read root's plans can lock them, and could hold up other users' programs or keep
 * them from prefetching.
 *
 * So the prefetcher holds a record lock of fcntl(2), whose holder the kernel names. The lock counts only if its holder
 * executes the prefetcher and belongs to this user. A stranger could take the lock and then execute a set-user-ID
 * program, which keeps it. So real and saved ids count as well as effective ones; where such a program makes all of
 * them the same, its executable gives it away. The executable also gives away a process that merely has the id of a
 * former holder, which left the lock to others that share its descriptors and ended.
 *
 * A prefetcher that headstartd has started is root's, and nobody else can see what it executes. It holds an exclusive
 * lock, for which a plan must be open for writing. So nobody but the owner of the plan can hold it.
 */
#include "prefetcher/carrier.h"

#include "core/clock.h"
#include "core/shim.h"
#include "prefetcher/prefetcher.h"

#include "format/plan-locks.h"

#define PROC_PATH_SIZE 40 /* bytes */

int carrier_of(int plan_fd, unsigned int within_ms, int64_t *ret_ms)
{
	struct flock lock = {/* the kernel reports the lock that is in its way */
		.l_type = F_WRLCK,
		.l_start = PLAN_LOCK_CARRIER + now_ms() - within_ms,
		.l_len = within_ms + 1};

	if (raw_syscall(__NR_fcntl, plan_fd, F_GETLK, (long)&lock, 0, 0, 0) != 0 || lock.l_type == F_UNLCK ||
		lock.l_pid <= 0)
		return 0;
	*ret_ms = lock.l_start - PLAN_LOCK_CARRIER;
	return lock.l_pid;
}

bool carrier_of_daemon(int plan_fd, int *ret_process)
{
	struct flock lock = {/* to read: only an exclusive lock is in its way */
		.l_type = F_RDLCK,
		.l_start = PLAN_LOCK_OWNER,
		.l_len = 1};

	if (raw_syscall(__NR_fcntl, plan_fd, F_GETLK, (long)&lock, 0, 0, 0) != 0 || lock.l_type == F_UNLCK)
		return false;
	*ret_process = lock.l_pid > 0 ? lock.l_pid : 0;
	return true;
}

/* Writes the path of a file of /proc about that process. */
static void proc_path(char path[PROC_PATH_SIZE], int process, const char *file)
{
	struct shim_text text = shim_text(path, PROC_PATH_SIZE);

	shim_text_add(&text, "/proc/");
	shim_text_add_number(&text, (uint64_t)process);
	shim_text_add(&text, file);
}

bool carrier_is_ours(int process)
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

bool carrier_is_prefetcher(int process)
{
	char path[PROC_PATH_SIZE];
	struct stat executed;

	proc_path(path, process, "/exe");
	return status_of(path, &executed) &&
		(same_file(prefetcher_path(), &executed) || same_file(HEADSTART_PROGRAM_PATH, &executed));
}
