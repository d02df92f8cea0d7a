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
 * A process that has started the prefetcher itself knows its id, and checks it in the same way: the prefetcher may have
 * ended.
 */
#include "carrier.h"

#include "clock.h"
#include "plan.h"
#include "prefetcher.h"
#include "shim.h"
#include "spawn.h"

#include <linux/poll.h>
#include <linux/time_types.h>

#include "format/plan-locks.h"

#define WAIT_MAX_MS     10000 /* a prefetcher that takes longer is stuck, or of little use */
#define LIFE_MAX_MS     32000 /* a prefetcher ends before that (tools/time-limit.h) */
#define PROC_PATH_SIZE  40    /* bytes */
#define NS_PER_SECOND   1000000000
#define NS_PER_MS       1000000
#define EXECVE_PAUSES   100
#define EXECVE_PAUSE_NS 100000

/* The process that has marked the plan within the last `within_ms`, and when; 0 if the kernel shows none. */
static int carrier_of(int plan_fd, unsigned int within_ms, int64_t *ret_ms)
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

/* Whether the process executes the prefetcher that this program would start, or the launcher, which carries out plans
 * itself. */
static bool is_prefetcher(int process)
{
	char path[PROC_PATH_SIZE];
	struct stat executed;

	proc_path(path, process, "/exe");
	return status_of(path, &executed) &&
		(same_file(prefetcher_path(), &executed) || same_file(HEADSTART_PROGRAM_PATH, &executed));
}

static bool ends_within(int pidfd, int64_t ns)
{
	struct __kernel_timespec limit = {.tv_sec = ns / NS_PER_SECOND, .tv_nsec = ns % NS_PER_SECOND};
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};

	return raw_syscall(__NR_ppoll, (long)&ended, 1, (long)&limit, 0, 0, 0) != 0;
}

/*
 * A prefetcher that has just been started may still have the executable of the process that started it. The kernel
 * wakes the process that waits for an execve in shared memory before it gives the executing one its new memory. With
 * one processor the awakened process may run first, and get as far as into the program that it executes (seen with
 * Linux 6.1). So this looks again for ten milliseconds or a little longer.
 */
static bool becomes_prefetcher(int process, int pidfd)
{
	for (int i = 0; i < EXECVE_PAUSES; i++) {
		if (is_prefetcher(process))
			return true;
		if (ends_within(pidfd, EXECVE_PAUSE_NS))
			return false;
	}
	return false;
}

static bool plan_is_carried_out(int plan_fd)
{
	int64_t since_ms;
	int process = carrier_of(plan_fd, LIFE_MAX_MS, &since_ms);

	return process != 0 && same_user(process) && is_prefetcher(process);
}

/* Shows the prefetcher that a program waits for it, until the program closes the plan. */
static void mark_as_waiting(int plan_fd)
{
	struct flock lock = {.l_type = F_RDLCK, .l_start = PLAN_LOCK_WAITER, .l_len = 1};

	raw_syscall(__NR_fcntl, plan_fd, F_SETLK, (long)&lock, 0, 0, 0);
}

/* Returns when that prefetcher of this user has ended, or after `limit_ms`. A signal that the program handles ends the
 * wait early. */
static void await(int plan_fd, int process, int64_t limit_ms)
{
	int pidfd = (int)raw_syscall(__NR_pidfd_open, process, 0, 0, 0, 0, 0);

	if (pidfd < 0) /* it has ended, or a kernel before Linux 5.3 */
		return;
	if (same_user(process) && becomes_prefetcher(process, pidfd)) {
		mark_as_waiting(plan_fd);
		ends_within(pidfd, limit_ms * NS_PER_MS);
	}
	sys_close(pidfd);
}

/*
 * Whether programs sleep until this plan is carried out: it is in physical order (for a rotational disk), and
 * HEADSTART_WAIT is not 0. Otherwise they would sleep longer, in page faults, because the reads of both move the head
 * to and fro (docs/decisions/when-the-program-waits.md).
 */
static bool plan_waited_for(const struct plan *plan)
{
	return plan->order == PLAN_ORDER_PHYSICAL && !shim_start.no_wait;
}

/* Starts a prefetcher if one is needed. Returns its process id, or 0. */
static int start(const char *program, const struct plan *plan, const char *const argv[])
{
	int process = 0;

	if (!plan->cold) {
		shim_log(program, "plan=warm");
	} else if (plan_is_carried_out(plan->fd)) {
		shim_log(program, "plan=running");
	} else {
		process = spawn_prefetcher(plan->fd, argv);
		shim_log(program, process ? "plan=started" : "plan=not-started");
	}
	return process;
}

void carrier_serve_next(const char *program, const struct plan *plan)
{
	const char *const alongside[] = {"headstart-prefetch", "--alongside", "--fd", "3", NULL};
	const char *const awaited[] = {"headstart-prefetch", "--awaited", "--fd", "3", NULL};

	start(program, plan, plan_waited_for(plan) && plan->by_given ? awaited : alongside);
}

void carrier_serve_own(const char *program, const struct plan *plan)
{
	const char *const alongside[] = {"headstart-prefetch", "--alongside", "--fd", "3", NULL};
	const char *const waited[] = {"headstart-prefetch", "--fd", "3", NULL};
	bool waits = plan->cold && plan_waited_for(plan);
	int process = start(program, plan, waits ? waited : alongside);
	int64_t now = now_ms(), since = now;

	if (waits && process == 0)
		process = carrier_of(plan->fd, WAIT_MAX_MS, &since);
	if (waits && process != 0)
		await(plan->fd, process, since + WAIT_MAX_MS - now);
}
