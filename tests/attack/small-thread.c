/* SPDX-License-Identifier: MIT */
/*
 * small-thread WAY FILE: starts FILE from a thread with a stack of 16 KiB, the least that libc allows, by
 * posix_spawn, posix_spawnp, or vfork-execv, as WAY says. The page below the stack cannot be accessed. Exits with the
 * status of the program.
 */
#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_SIZE 16384 /* bytes: PTHREAD_STACK_MIN on x86-64 */
#define GUARD_SIZE 65536 /* bytes */

static char **arguments;
static int status = 2;

static void *start(void *way)
{
	pid_t child = -1;
	int ended;

	if (strcmp(way, "posix_spawn") == 0 || strcmp(way, "posix_spawnp") == 0) {
		if ((strcmp(way, "posix_spawn") == 0 ? posix_spawn : posix_spawnp)(
			    &child, arguments[0], NULL, NULL, arguments, environ) != 0)
			return NULL;
	} else {
		child = vfork();
		if (child == 0) {
			execv(arguments[0], arguments);
			_exit(2);
		}
	}
	if (child > 0 && waitpid(child, &ended, 0) == child)
		status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
	return NULL;
}

int main(int argc, char **argv)
{
	char *memory = mmap(
		NULL, GUARD_SIZE + STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;
	pthread_t thread;

	if (argc < 3 || memory == MAP_FAILED || mprotect(memory, GUARD_SIZE, PROT_NONE) != 0)
		return 2;
	arguments = argv + 2;
	if (pthread_attr_init(&attributes) != 0 ||
		pthread_attr_setstack(&attributes, memory + GUARD_SIZE, STACK_SIZE) != 0 ||
		pthread_create(&thread, &attributes, start, argv[1]) != 0 || pthread_join(thread, NULL) != 0)
		return 2;
	return status;
}
