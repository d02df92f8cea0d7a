/* SPDX-License-Identifier: MIT */
/* A lock of the open file description (fcntl_locking(2)) on /proc/self/exe. */
#include "plan-lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "format/plan-locks.h"

#define LOOK_AGAIN_MS 4 /* less than one seek of a rotational disk */

void plan_lock_hold(void)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) /* and stays open: closing it would release the lock */
		fcntl(fd, F_OFD_SETLK, &lock);
}

bool plan_lock_held(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	return fd >= 0 && fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool plan_claim(int plan_fd)
{
	return flock(plan_fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

void plan_releasep(const int *plan_fd)
{
	if (*plan_fd >= 0)
		flock(*plan_fd, LOCK_UN);
}

static bool program_waits(int plan_fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = PLAN_LOCK_WAITER, .l_len = 1};

	return fcntl(plan_fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* A program needs pidfd_open(2), of Linux 5.3, to wait. */
static bool programs_can_wait(void)
{
	return syscall(SYS_pidfd_open, 0, 0) >= 0 || errno != ENOSYS;
}

bool plan_await_program(int plan_fd, unsigned int limit_ms)
{
	const struct timespec pause = {.tv_nsec = LOOK_AGAIN_MS * 1000000};

	for (unsigned int waited = 0; !program_waits(plan_fd); waited += LOOK_AGAIN_MS) {
		if (waited >= limit_ms || !programs_can_wait())
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}
