/* SPDX-License-Identifier: MIT */
/*
 * init COUNT COLD PROGRAM…: a simple first process of a container. COUNT times it runs the command COLD in a shell
 * and then PROGRAM, and waits for each by its number. Then it prints how every other child that it has got ended, and
 * exits with 98 if there was one.
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int run(char **argv)
{
	pid_t child;
	int status;

	if (posix_spawn(&child, argv[0], NULL, NULL, argv, environ) != 0 ||
		waitpid(child, &status, 0) != child)
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	char shell[] = "/bin/sh", option[] = "-c";
	int status = 2, unknown = 0;
	siginfo_t ended;

	if (argc < 4)
		return 2;
	for (int count = atoi(argv[1]); count > 0; count--) {
		char *cold[] = {shell, option, argv[2], NULL};

		if (run(cold) != 0)
			return 3;
		status = run(argv + 3);
	}
	/* Waits for a child that has not ended yet. */
	while (waitid(P_ALL, 0, &ended, WEXITED | __WALL) == 0 || errno == EINTR) {
		printf("unknown child: %d\n", (int)ended.si_pid);
		unknown++;
	}
	return fflush(stdout) != 0 ? 2 : unknown ? 98 : status;
}
