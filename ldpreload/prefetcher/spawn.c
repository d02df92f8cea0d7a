/* SPDX-License-Identifier: MIT */
/*
 * Problem: start a helper process at any moment of a program's life, in less than 400 microseconds of its time, so that
 * wait(2), SIGCHLD, a tracer and the program's descriptors show nothing of it. Forking a desktop shell of a gigabyte
 * takes ten milliseconds, and every page of it faults again afterwards. Memory that is shared with the parent of a
 * vfork(2) must stay as it was.
 *
 * So there are two children, neither with memory of its own (CLONE_VM), and the parent waits until each has executed
 * something or ended (CLONE_VFORK). The first has no exit signal, so no wait without __WCLONE finds it and no SIGCHLD
 * is raised. It starts the prefetcher and ends, and the parent reaps it by its pid. init inherits the prefetcher. Both
 * run on stacks within ours. A handler of the program's must not run in them, so all signals are blocked until the
 * prefetcher has reset the handlers to their defaults, in a table of its own.
 *
 * The program waits only for the execve of a small static program.
 */
#include "prefetcher/spawn.h"

#include "core/shim.h"
#include "entry.h"
#include "prefetcher/prefetcher.h"
#include "prefetcher/surroundings.h"

#include <asm/signal.h>
#include <linux/sched.h>
#include <linux/wait.h>

#define STACK_SIZE 2048 /* bytes */

struct spawn {
	int fd;
	long prefetcher_id; /* or -errno */
	const char *const *argv;
	_Alignas(16) char between[STACK_SIZE], prefetcher[STACK_SIZE];
};

/*
 * Runs function(argument), which does not return, in a child whose stack ends at `top`. Returns the child's id or
 * -errno. It is no C function around clone(2): the child would go on in the frame that its parent returns to.
 */
long clone_on_stack(unsigned long flags, char *top, void (*function)(void *), void *argument)
	__attribute__((visibility("hidden")));
CLONE_ON_STACK

static void run_prefetcher(void *argument)
{
	const struct spawn *spawn = argument;

	prefetcher_become(spawn->fd, spawn->argv);
}

/* Ends at once, so that init inherits the prefetcher. */
static void run_between(void *argument)
{
	struct spawn *spawn = argument;

	spawn->prefetcher_id = clone_on_stack(CLONE_VM | CLONE_VFORK | CLONE_UNTRACED | SIGCHLD,
		spawn->prefetcher + STACK_SIZE, run_prefetcher, spawn);
	prefetcher_exit(0);
}

/* A function of its own, so that the children's stacks take room on ours only when they are needed. */
static __attribute__((noinline)) int spawn_on_stack(int fd, const char *const argv[])
{
	static const uint64_t every_signal = ~0ul;
	struct spawn spawn;
	uint64_t mask;
	long child;

	spawn.fd = fd;
	spawn.argv = argv;
	spawn.prefetcher_id = 0;
	raw_syscall(__NR_rt_sigprocmask, SIG_SETMASK, (long)&every_signal, (long)&mask, sizeof(mask), 0, 0);
	child = clone_on_stack(
		CLONE_VM | CLONE_VFORK | CLONE_UNTRACED, spawn.between + STACK_SIZE, run_between, &spawn);
	if (child > 0)
		raw_syscall(__NR_wait4, child, 0, __WCLONE | __WALL, 0, 0, 0);
	raw_syscall(__NR_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, sizeof(mask), 0, 0);
	return spawn.prefetcher_id > 0 ? (int)spawn.prefetcher_id : 0;
}

int spawn_prefetcher(int fd, const char *const argv[])
{
	return surroundings_permit() ? spawn_on_stack(fd, argv) : 0;
}
