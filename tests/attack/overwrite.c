/* SPDX-License-Identifier: MIT */
/*
 * overwrite TEXT PROGRAM: sets its process title as setproctitle(3bsd) and Perl's $0 do. It copies its environment
 * elsewhere, and then overwrites the memory of the initial variable ROOM with TEXT, like the end of a long title.
 * Then it spawns PROGRAM and exits with its status.
 */
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void copy_environment(char **initial)
{
	size_t count = 0;
	char **copy;

	while (initial[count])
		count++;
	copy = calloc(count + 1, sizeof(*copy));
	if (!copy)
		abort();
	for (size_t i = 0; i < count; i++)
		copy[i] = strdup(initial[i]);
	environ = copy;
}

int main(int argc, char **argv, char **envp)
{
	char *value = getenv("ROOM"), *entry = value ? value - strlen("ROOM=") : NULL;
	size_t room = entry ? strlen(entry) : 0;
	pid_t child;
	int status;

	if (argc < 3 || strlen(argv[1]) > room)
		return 2;
	copy_environment(envp);
	memset(entry, 0, room);
	memcpy(entry, argv[1], strlen(argv[1]));
	if (posix_spawn(&child, argv[2], NULL, NULL, argv + 2, environ) != 0 ||
		waitpid(child, &status, 0) != child)
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
