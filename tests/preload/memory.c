/* SPDX-License-Identifier: MIT */
/*
 * memory PLAN TARGET FILE…: starts TARGET, whose PLAN has the FILEs, again and again, each time cold, where it is
 * hardest for a hook: in a child of vfork, on the smallest stacks, in signal handlers, and under a rain of signals.
 * Exits with 0 if the process is the same afterwards.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 30

static char *plan, **files;
static char *target_argv[2];
static pid_t self;
static atomic_bool elsewhere, stop;

static void check(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "memory: %s\n", what);
	_exit(1);
}

/* A prefetcher that has had no processor yet may still be at work; then no second one would be started. */
static void make_cold(void)
{
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int claimed = open(plan, O_RDWR | O_CLOEXEC);

	check(claimed >= 0 && fcntl(claimed, F_OFD_SETLKW, &all) == 0, "the plan cannot be locked");
	close(claimed);
	for (char **file = files; *file; file++) {
		int fd = open(*file, O_RDONLY | O_CLOEXEC);

		check(fd >= 0 && posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0,
			"a file cannot be made cold");
		close(fd);
	}
}

static void check_child(pid_t child)
{
	int status;

	check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7,
		"the target does not run");
}

static void vfork_and_execute(void)
{
	pid_t child = vfork();

	if (child == 0) {
		execve(target_argv[0], target_argv, environ);
		_exit(1);
	}
	check_child(child);
}

static void spawn(void)
{
	pid_t child;

	check(posix_spawn(&child, target_argv[0], NULL, NULL, target_argv, environ) == 0,
		"posix_spawn fails");
	check_child(child);
}

/* Prints the shim's own writable memory and a list of all mappings, without stdio, which would allocate memory. */
struct state {
	char maps[32768], shim[16384];
};

static void look(struct state *state)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	unsigned long from, to;
	size_t size = 0, kept = 0;
	ssize_t n;

	memset(state, 0, sizeof(*state));
	while ((n = read(fd, state->maps + size, sizeof(state->maps) - 1 - size)) > 0)
		size += (size_t)n;
	close(fd);
	for (const char *line = state->maps; *line; line = strchr(line, '\n') + 1) {
		const char *end = strchr(line, '\n'), *name = strstr(line, "libheadstart-preload.so");

		if (!name || name > end || sscanf(line, "%lx-%lx rw", &from, &to) != 2 ||
			!strstr(line, " rw-p ") || strstr(line, " rw-p ") > end)
			continue;
		check(kept + to - from <= sizeof(state->shim), "the shim is larger than expected");
		memcpy(state->shim + kept, (const void *)from, to - from);
		kept += to - from;
	}
	check(kept > 0, "the shim is not loaded");
}

static void try_vfork(void)
{
	static struct state before, after;

	make_cold();
	look(&before); /* the first time, to warm up what the test itself needs */
	look(&before);
	vfork_and_execute();
	look(&after);
	check(memcmp(before.shim, after.shim, sizeof(before.shim)) == 0,
		"the shim has written to its memory");
	check(strcmp(before.maps, after.maps) == 0, "there are other mappings than before");
}

static void *launch_both(void *unused)
{
	make_cold();
	spawn();
	make_cold();
	vfork_and_execute();
	return NULL;
}

static void try_small_stack(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	check(pthread_attr_init(&attributes) == 0 &&
			pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN) == 0,
		"no small stack is to be had");
	check(pthread_create(&thread, &attributes, launch_both, NULL) == 0 && pthread_join(thread, NULL) == 0,
		"no thread is to be had");
	pthread_attr_destroy(&attributes);
}

static void on_usr1(int number)
{
	if (syscall(SYS_getpid) != self)
		elsewhere = true;
}

static void on_usr2(int number)
{
	vfork_and_execute();
}

/* A handler that executes a program, on a stack of its own. */
static void try_handler(void)
{
	static char memory[16384];
	const stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
	const struct sigaction action = {.sa_handler = on_usr2, .sa_flags = SA_ONSTACK};

	check(sigaltstack(&stack, NULL) == 0 && sigaction(SIGUSR2, &action, NULL) == 0, "no handler");
	make_cold();
	raise(SIGUSR2);
}

static void *rain(void *unused)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	while (!stop)
		kill(0, SIGUSR1);
	return NULL;
}

/*
 * Signals go to the whole process group: the program's handlers must not run in the children that share its memory.
 */
static void try_signals(void)
{
	const struct sigaction action = {.sa_handler = on_usr1, .sa_flags = SA_RESTART};
	posix_spawnattr_t attributes;
	sigset_t before, after, ignored;
	pthread_t thread;

	sigemptyset(&ignored);
	sigaddset(&ignored, SIGUSR1);
	check(setpgid(0, 0) == 0 && sigaction(SIGUSR1, &action, NULL) == 0, "no handler");
	check(posix_spawnattr_init(&attributes) == 0 &&
			posix_spawnattr_setsigmask(&attributes, &ignored) == 0 &&
			posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK) == 0,
		"no attributes");
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	check(pthread_create(&thread, NULL, rain, NULL) == 0, "no thread");
	for (int i = 0; i < ROUNDS; i++) {
		pid_t child;

		make_cold();
		check(posix_spawn(&child, target_argv[0], NULL, &attributes, target_argv, environ) == 0,
			"posix_spawn fails");
		check_child(child);
	}
	stop = true;
	pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	for (int number = 1; number < NSIG; number++)
		check(sigismember(&before, number) == sigismember(&after, number),
			"other signals are blocked than before");
	check(!elsewhere, "a handler ran in a child that shared our memory");
	posix_spawnattr_destroy(&attributes);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	plan = argv[1];
	target_argv[0] = argv[2];
	files = argv + 3;
	self = getpid();
	try_vfork();
	try_small_stack();
	try_handler();
	try_signals();
	check(waitpid(-1, NULL, __WALL) < 0, "there is a child left");
	return 0;
}
