/* SPDX-License-Identifier: MIT */
/* Record locks (fcntl_locking(2)), for which the kernel names the holder: on the plan, and on /proc/self/exe. */
#include "prefetcher/plan-lock.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/same-file.h"
#include "base/times.h"
#include "format/plan-locks.h"

static bool is_at(const struct stat *executed, const char *path)
{
	struct stat named;

	return stat(path, &named) == 0 && same_file(executed, &named);
}

/* Whether the process is that user's, and runs our own executable, the prefetcher or the launcher. */
static bool is_prefetcher(pid_t process, uid_t user)
{
	struct stat owner, executed;
	char path[40];

	snprintf(path, sizeof(path), "/proc/%ld", (long)process);
	if (stat(path, &owner) < 0 || owner.st_uid != user)
		return false;
	snprintf(path, sizeof(path), "/proc/%ld/exe", (long)process);
	return stat(path, &executed) == 0 &&
		(is_at(&executed, "/proc/self/exe") || is_at(&executed, HEADSTART_PREFETCH_PATH) ||
			is_at(&executed, HEADSTART_PROGRAM_PATH));
}

/* Another prefetcher of the user that holds a lock in these bytes; 0 if we see none. *ret_start is where that lock begins. */
static pid_t locked_by(int fd, off_t start, off_t length, uid_t user, off_t *ret_start)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = length};

	if (fcntl(fd, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK || lock.l_pid <= 0 ||
		!is_prefetcher(lock.l_pid, user))
		return 0;
	*ret_start = lock.l_start;
	return lock.l_pid;
}

void plan_lock_hold(void)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) /* stays open, because closing it would release the lock */
		fcntl(fd, F_SETLK, &lock);
}

bool plan_lock_held(void)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	off_t start;

	return fd >= 0 && locked_by(fd, 0, 0, geteuid(), &start) != 0;
}

/* Whether the first lock in these bytes is our own. F_OFD_GETLK reports our own locks too. */
static bool locked_by_us(int fd, off_t start, off_t length)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = length};

	return length > 0 && fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK &&
		lock.l_pid == getpid();
}

/* Whether headstartd's prefetcher is at work, and is another process than this. */
static bool owned(int plan_fd)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = PLAN_LOCK_OWNER, .l_len = 1};

	return fcntl(plan_fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool plan_claim(int plan_fd)
{
	struct flock mark = {.l_type = F_RDLCK,
		.l_whence = SEEK_SET,
		.l_start = PLAN_LOCK_CARRIER + (off_t)monotonic_ms(),
		.l_len = 1};
	off_t start;

	fcntl(plan_fd, F_SETLK, &mark); /* a shim that starts us has locked already; this adds one */
	if (owned(plan_fd))
		return false;
	if (locked_by(plan_fd, PLAN_LOCK_CARRIER, 0, geteuid(), &start) == 0)
		return true;
	return locked_by_us(plan_fd, PLAN_LOCK_CARRIER, start - PLAN_LOCK_CARRIER) ||
		locked_by_us(plan_fd, start,
			1); /* both began at the same time: the kernel reports only one lock first */
}

/*
 * Looks for the others first: if one of them has begun, the plan is left to it. One that begins after this has taken the
 * lock sees the lock. In between both may begin, and then read the same pages.
 */
bool plan_own(int plan_fd, uid_t user)
{
	struct flock own = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = PLAN_LOCK_OWNER, .l_len = 1};
	off_t start;

	if (locked_by(plan_fd, PLAN_LOCK_CARRIER, 0, user, &start) != 0 ||
		locked_by(plan_fd, PLAN_LOCK_CARRIER, 0, 0, &start) != 0)
		return false;
	/* A shared lock there is a stranger's, who has nothing to say: then the plan is carried out without ours. */
	return fcntl(plan_fd, F_SETLK, &own) == 0 || !owned(plan_fd);
}
