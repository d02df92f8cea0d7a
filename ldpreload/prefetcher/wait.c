/* SPDX-License-Identifier: MIT */
#include "prefetcher/wait.h"

#include "core/shim.h"
#include "prefetcher/carrier.h"

#include <linux/poll.h>
#include <linux/time_types.h>

#define NS_PER_SECOND   1000000000
#define NS_PER_MS       1000000
#define EXECVE_PAUSES   100
#define EXECVE_PAUSE_NS 100000

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
		if (carrier_is_prefetcher(process))
			return true;
		if (ends_within(pidfd, EXECVE_PAUSE_NS))
			return false;
	}
	return false;
}

void wait_for_prefetcher(int process, int64_t limit_ms)
{
	int pidfd = (int)raw_syscall(__NR_pidfd_open, process, 0, 0, 0, 0, 0);

	if (pidfd < 0) /* it has ended, or a kernel before Linux 5.3 */
		return;
	if (carrier_is_ours(process) && becomes_prefetcher(process, pidfd))
		ends_within(pidfd, limit_ms * NS_PER_MS);
	sys_close(pidfd);
}

void wait_for_daemon(int plan_fd, int process, int64_t limit_ms)
{
	int pidfd = (int)raw_syscall(__NR_pidfd_open, process, 0, 0, 0, 0, 0);
	int still = 0;

	if (pidfd < 0)
		return;
	if (carrier_of_daemon(plan_fd, &still) && still == process)
		ends_within(pidfd, limit_ms * NS_PER_MS);
	sys_close(pidfd);
}
