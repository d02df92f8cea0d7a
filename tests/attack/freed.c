/* SPDX-License-Identifier: MIT */
/*
 * freed PROGRAM: replaces a variable of its initial environment by one in a page of its own, replaces that one too,
 * and then frees the page. This is legal, because environ was copied meanwhile. Then it starts PROGRAM in each way
 * and exits with its status. $HEADSTART_TEST_FREED must be in the initial environment.
 */
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME "HEADSTART_TEST_FREED"

static int status_of(pid_t child)
{
	int status;

	if (child <= 0 || waitpid(child, &status, 0) != child)
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	static char second[] = NAME "=second";
	char *first = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t child;
	int status;

	if (argc < 2 || first == MAP_FAILED || !getenv(NAME))
		return 2;
	strcpy(first, NAME "=first");
	if (putenv(first) != 0 || setenv("NEW", "variable", 1) < 0 || putenv(second) != 0)
		return 2;
	munmap(first, 4096);
	if (posix_spawn(&child, argv[1], NULL, NULL, argv + 1, environ) != 0)
		return 2;
	status = status_of(child);
	child = vfork();
	if (child == 0) {
		execvp(argv[1], argv + 1);
		_exit(2);
	}
	return status_of(child) == status ? status : 2;
}
