/* SPDX-License-Identifier: MIT */
/*
 * signal-stack guard|canary|usual WAY FILE: starts FILE from a signal handler on an alternate stack of 8,192 bytes,
 * by execv in a child of vfork, posix_spawn, or dlopen, as WAY says. guard: below the stack is a page that nobody may
 * touch. canary: below it is a pattern that must not change. usual: the handler runs on the usual stack, although
 * there is an alternate one. Exits with the status of the program, or 99 if something was overwritten.
 */
#include <dlfcn.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_SIZE 8192  /* bytes: SIGSTKSZ, for a long time */
#define BELOW_SIZE 65536 /* bytes */
#define PATTERN    0x5a

static const char *way;
static char **program;
static int status = 2;

static void handle(int number)
{
	pid_t child = -1;
	int ended;

	if (strcmp(way, "dlopen") == 0) {
		status = dlopen(program[0], RTLD_NOW) ? 7 : 2;
		return;
	}
	if (strcmp(way, "posix_spawn") == 0) {
		if (posix_spawn(&child, program[0], NULL, NULL, program, environ) != 0)
			return;
	} else {
		child = vfork();
		if (child == 0) {
			execv(program[0], program);
			_exit(2);
		}
	}
	if (child > 0 && waitpid(child, &ended, 0) == child)
		status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = handle};
	char *below = mmap(
		NULL, BELOW_SIZE + STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = {.ss_sp = below + BELOW_SIZE, .ss_size = STACK_SIZE};

	if (argc < 4 || below == MAP_FAILED)
		return 2;
	way = argv[2];
	program = argv + 3;
	if (strcmp(argv[1], "usual") != 0)
		action.sa_flags = SA_ONSTACK;
	if (strcmp(argv[1], "guard") == 0)
		mprotect(below, BELOW_SIZE, PROT_NONE);
	else
		memset(below, PATTERN, BELOW_SIZE);
	if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0 || raise(SIGUSR1) != 0)
		return 2;
	if (strcmp(argv[1], "canary") == 0)
		for (size_t i = 0; i < BELOW_SIZE; i++)
			if (below[i] != PATTERN) {
				printf("overwritten: %zu bytes below the stack\n", BELOW_SIZE - i);
				return fflush(stdout) == 0 ? 99 : 2;
			}
	return status;
}
