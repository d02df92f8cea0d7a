/* SPDX-License-Identifier: MIT */
/*
 * Problem: start a helper process at any moment of a program's life, in less than 400 microseconds of its time, so that
 * wait(2), SIGCHLD, a tracer and the program's descriptors show nothing of it. (The one exception: a tracer that asks for
 * PTRACE_EVENT_VFORK_DONE gets one.) Forking a desktop shell of a gigabyte takes ten milliseconds, and every page of it
 * faults again afterwards. Memory that is shared with the parent of a vfork(2) must stay as it was.
 *
 * So there are two children, neither with memory of its own (CLONE_VM), and the parent waits until each has executed
 * something or ended (CLONE_VFORK). The first has no exit signal, so no wait without __WCLONE finds it and no SIGCHLD
 * is raised. It starts the prefetcher and ends, and the parent reaps it by its pid. init inherits the prefetcher. Both
 * run on stacks of their own, which stay if the first child was killed: the prefetcher may be using its one still. A
 * handler of the program's must not run in them, so all signals are blocked until the prefetcher has reset the handlers
 * to their defaults, in a table of its own.
 *
 * The program waits only for the execve of a small static program. It must not wait for the close of a file, which may
 * take as long as a file server likes. So the first child shares the program's descriptors (CLONE_FILES), and the
 * prefetcher leaves its copies of them to its execve, but for pipes, which somebody may wait for.
 */
#include "prefetcher/spawn.h"

#include "core/shim.h"
#include "entry.h"
#include "prefetcher/prefetcher.h"
#include "prefetcher/surroundings.h"

#include <asm/signal.h>
#include <linux/mman.h>
#include <linux/sched.h>
#include <linux/wait.h>

#define STACK_SIZE 2048 /* bytes */

struct spawn;

/* Of a child that runs function(spawn), which does not return. */
struct stack {
	_Alignas(16) char room[STACK_SIZE];
	void (*function)(struct spawn *);
	struct spawn *spawn;
};

struct spawn {
	int fd;
	long prefetcher_id; /* or -errno */
	const char *mode;
	struct stack between, prefetcher;
};

/*
 * The system call of that number, clone(2) or clone3(2), with its first two arguments. The child's stack must end with the
 * room of a struct stack. Returns the child's id or -errno. It is no C function: the child would go on in the frame that
 * its parent returns to.
 */
long clone_call(unsigned long first, unsigned long second, long number) __attribute__((visibility("hidden")));
CLONE_CALL

static long clone_copying(struct stack *stack, unsigned long flags)
{
	return clone_call(
		CLONE_VM | CLONE_VFORK | CLONE_UNTRACED | flags, (unsigned long)&stack->function, __NR_clone);
}

/* valgrind and qemu-user know no clone(2) with these flags. They also have no clone3(2), and say so. */
static long clone_sharing_files(struct stack *stack)
{
	const struct clone_args how = {
		.flags = CLONE_VM | CLONE_FILES | CLONE_VFORK | CLONE_UNTRACED,
		.stack = (unsigned long)stack,
		.stack_size = sizeof(stack->room),
	};
	long child = clone_call((unsigned long)&how, CLONE_ARGS_SIZE_VER0, __NR_clone3);

	return child == -ENOSYS ? clone_copying(stack, 0) : child;
}

static void run_prefetcher(struct spawn *spawn)
{
	prefetcher_become(spawn->fd, spawn->mode);
}

/* Ends at once, so that init inherits the prefetcher. */
static void run_between(struct spawn *spawn)
{
	spawn->prefetcher.function = run_prefetcher;
	spawn->prefetcher.spawn = spawn;
	spawn->prefetcher_id = clone_copying(&spawn->prefetcher, SIGCHLD);
	prefetcher_exit(0);
}

/* Whether no child uses its stack any more. */
static bool run_children(struct spawn *spawn)
{
	static const uint64_t every_signal = ~0ul;
	int status = 0;
	uint64_t mask;
	long child;

	raw_syscall(__NR_rt_sigprocmask, SIG_SETMASK, (long)&every_signal, (long)&mask, sizeof(mask), 0, 0);
	child = clone_sharing_files(&spawn->between);
	if (child > 0)
		raw_syscall(__NR_wait4, child, (long)&status, __WCLONE | __WALL, 0, 0, 0);
	raw_syscall(__NR_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, sizeof(mask), 0, 0);
	return status == 0;
}

static int spawn(int fd, const char *mode)
{
	long memory = raw_syscall(__NR_mmap, 0, sizeof(struct spawn), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct spawn *spawn = (struct spawn *)memory;
	long id;

	if (memory < 0 && memory >= -4095)
		return 0;
	spawn->fd = fd;
	spawn->mode = mode;
	spawn->between.function = run_between;
	spawn->between.spawn = spawn;
	if (!run_children(spawn))
		return 0; /* somebody has killed one: 8 KiB are lost */
	id = spawn->prefetcher_id;
	raw_syscall(__NR_munmap, memory, sizeof(*spawn), 0, 0, 0, 0);
	return id > 0 ? (int)id : 0;
}

int spawn_prefetcher(int fd, const char *mode)
{
	return surroundings_permit() ? spawn(fd, mode) : 0;
}
