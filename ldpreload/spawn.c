/* SPDX-License-Identifier: MIT */
/*
 * Problem: a helper process that wait(2), SIGCHLD, a tracer and the program's descriptors show nothing of, in
 * less than 400 microseconds of the program's time.
 *
 * Two forks: the first child has no exit signal, so no wait without __WCLONE finds it and no SIGCHLD is
 * raised; it forks the prefetcher and exits, and is reaped here by its pid. The prefetcher falls to init.
 * Copying forks, although a shared-memory one is cheaper: ld.so unmaps the auditor as soon as la_version has
 * returned 0, so nothing may still be running in it, and waiting for execve instead would wait for the disk.
 * In a process as young as this both forks take 70 to 100 microseconds.
 */
#include "spawn.h"

#include "prefetcher.h"
#include "shim.h"
#include "surroundings.h"

#include <asm/signal.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/time_types.h>
#include <linux/wait.h>

static long fork_untraced(int exit_signal)
{
	return raw_syscall(__NR_clone, CLONE_UNTRACED | exit_signal, 0, 0, 0, 0, 0);
}

static bool spawn(int fd, int alive, const char *const argv[])
{
	int status = 0;
	long child;

	if (!surroundings_permit())
		return false;
	child = fork_untraced(0);
	if (child == 0) {
		long prefetcher = fork_untraced(SIGCHLD);

		if (prefetcher == 0)
			prefetcher_become(fd, alive, argv);
		prefetcher_exit(prefetcher < 0);
	}
	if (child < 0)
		return false;
	while (raw_syscall(__NR_wait4, child, (long)&status, __WCLONE | __WALL, 0, 0, 0) == -EINTR)
		;
	return status == 0;
}

bool spawn_prefetcher(int fd, const char *const argv[])
{
	return spawn(fd, -1, argv);
}

/* The prefetcher holds the writing end of a pipe, unknowingly; nobody else does once ours is closed. */
bool spawn_prefetcher_and_wait(int fd, const char *const argv[], unsigned int limit_ms)
{
	struct __kernel_timespec limit = {.tv_sec = limit_ms / 1000, .tv_nsec = limit_ms % 1000 * 1000000};
	struct pollfd ended;
	int pipes[2];
	bool started;

	if (raw_syscall(__NR_pipe2, (long)pipes, O_CLOEXEC, 0, 0, 0, 0) != 0)
		return spawn(fd, -1, argv);
	started = spawn(fd, pipes[1], argv);
	sys_close(pipes[1]);
	ended = (struct pollfd){.fd = pipes[0]};
	if (started)
		raw_syscall(__NR_ppoll, (long)&ended, 1, (long)&limit, 0, 0, 0);
	sys_close(pipes[0]);
	return started;
}
