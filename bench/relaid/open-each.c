/* SPDX-License-Identifier: MIT */
/*
 * Opens each shared object named on stdin in a process of its own, and prints a line for each: "PATH ok", "PATH WHAT
 * DLERROR SAYS", "PATH signal N". For comparing a library before and after a relayout.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMEOUT_S 20

/* Runs in a process of its own, since a constructor may start threads, write or exit. */
static void open_one(const char *path)
{
	void *handle;

	alarm(TIMEOUT_S);
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	printf("%s %s\n", path, handle ? "ok" : dlerror());
	fflush(stdout);
	_exit(0);
}

int main(void)
{
	char path[4096];

	while (fgets(path, sizeof(path), stdin)) {
		int status;
		pid_t child;

		path[strcspn(path, "\n")] = '\0';
		child = fork();
		if (child < 0)
			return 1;
		if (child == 0)
			open_one(path);
		if (waitpid(child, &status, 0) != child)
			return 1;
		if (WIFSIGNALED(status))
			printf("%s signal %d\n", path, WTERMSIG(status));
		else if (WEXITSTATUS(status) != 0)
			printf("%s exit %d\n", path, WEXITSTATUS(status));
		fflush(stdout);
	}
	return 0;
}
