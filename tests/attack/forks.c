/* SPDX-License-Identifier: MIT */
/*
 * forks COUNT PROGRAM: spawns PROGRAM and then has COUNT more children at the same time. Exits with the status of the program,
 * or 97 if one of its own forks failed.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int status, wanted, made = 0, ends[2];
	pid_t child;
	char byte;

	if (argc < 3 || pipe(ends) != 0)
		return 2;
	if (posix_spawn(&child, argv[2], NULL, NULL, argv + 2, environ) != 0)
		return 97;
	wanted = atoi(argv[1]);
	/* If there is a prefetcher, it is about to run now, since PROGRAM has not been waited for. */
	for (; made < wanted; made++) {
		pid_t one = fork();

		if (one == 0) {
			close(ends[1]);
			_exit(read(ends[0], &byte, 1) == 0 ? 0 : 2);
		}
		if (one < 0) {
			perror("fork");
			break;
		}
	}
	close(ends[1]);
	if (waitpid(child, &status, 0) != child)
		return 2;
	while (wait(NULL) > 0)
		;
	if (made < wanted)
		return 97;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
