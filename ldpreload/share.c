/* SPDX-License-Identifier: MIT */
/*
 * Problem: as in spawn.c, but in the middle of a program's life. To fork a desktop shell of a gigabyte takes
 * ten milliseconds and leaves every page of it to be faulted in again; and memory that is shared with the
 * parent of a vfork(2) must be left as it was.
 *
 * So neither of the two children gets memory of its own (CLONE_VM), and each is waited for until it has
 * executed something or ended (CLONE_VFORK). They run on stacks within ours. A handler of the program's must
 * not run in them: all signals are blocked from before the first until the prefetcher has put the handlers
 * back to their defaults, in a table that is its own.
 *
 * What is waited for is the execve of a small static program. The caller is about to execute something
 * itself.
 */
#include "share.h"

#include "entry.h"
#include "prefetcher.h"
#include "shim.h"
#include "surroundings.h"

#include <asm/signal.h>
#include <linux/sched.h>
#include <linux/wait.h>

#define STACK_SIZE 2048 /* bytes */

struct share {
	int fd;
	const char *const *argv;
	_Alignas(16) char between[STACK_SIZE], prefetcher[STACK_SIZE];
};

/*
 * Runs function(argument), which does not return, in a child whose stack ends at `top`. Returns the child's
 * id or -errno. Not as a function of C around clone(2): the child would go on in the frame that its parent
 * comes back to.
 */
long clone_on_stack(unsigned long flags, char *top, void (*function)(void *), void *argument)
	__attribute__((visibility("hidden")));
CLONE_ON_STACK

static void run_prefetcher(void *argument)
{
	const struct share *share = argument;

	prefetcher_become(share->fd, -1, share->argv);
}

/* Ends at once, so that the prefetcher falls to init. */
static void run_between(void *argument)
{
	struct share *share = argument;
	long prefetcher = clone_on_stack(CLONE_VM | CLONE_VFORK | CLONE_UNTRACED | SIGCHLD,
		share->prefetcher + STACK_SIZE, run_prefetcher, share);

	prefetcher_exit(prefetcher < 0);
}

/* The children's stacks are on ours only while it is certain that they are wanted. */
static __attribute__((noinline)) bool share_stacks(int fd, const char *const argv[])
{
	static const uint64_t every_signal = ~0ul;
	struct share share;
	uint64_t mask;
	int status = 0;
	long child;

	share.fd = fd;
	share.argv = argv;
	raw_syscall(__NR_rt_sigprocmask, SIG_SETMASK, (long)&every_signal, (long)&mask, sizeof(mask), 0, 0);
	child = clone_on_stack(
		CLONE_VM | CLONE_VFORK | CLONE_UNTRACED, share.between + STACK_SIZE, run_between, &share);
	if (child > 0)
		raw_syscall(__NR_wait4, child, (long)&status, __WCLONE | __WALL, 0, 0, 0);
	raw_syscall(__NR_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, sizeof(mask), 0, 0);
	return child > 0 && status == 0;
}

bool share_prefetcher(int fd, const char *const argv[])
{
	return surroundings_permit() && share_stacks(fd, argv);
}
