/* SPDX-License-Identifier: MIT */
/*
 * launch WAY PROGRAM [ARGUMENT]…: executes PROGRAM by the function that WAY names. If the function takes an
 * environment, that is VALUE=passed, and FROM from our own environment. "vfork-WAY" does it in a child of vfork,
 * "off-WAY" adds HEADSTART=off. "untouched-environment" executes nothing: it exits with 8 if the hook reads the variables,
 * and with 7 if not. Exits with the status of the program, or prints errno and exits with 100.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char passed[] = "VALUE=passed", off[] = "HEADSTART=off";
static char *environment[4] = {passed};

static int status_of(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child)
		return 101;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
	const posix_spawnattr_t *, char *const[], char *const[]);

static int by_spawning(spawn_function *spawn, char **argv)
{
	pid_t child;
	int error = spawn(&child, argv[0], NULL, NULL, argv, environment);

	errno = error;
	return error ? -1 : status_of(child);
}

static int by_descriptor(char **argv)
{
	int fd = open(argv[0], O_PATH | O_CLOEXEC);

	return fd < 0 ? -1 : fexecve(fd, argv, environment);
}

static int by_empty_path(char **argv)
{
	int fd = open(argv[0], O_PATH | O_CLOEXEC);

	return fd < 0 ? -1 : execveat(fd, "", argv, environment, AT_EMPTY_PATH);
}

static int by_folder(char **argv)
{
	char *slash = strrchr(argv[0], '/');
	int folder = slash ? open(strndup(argv[0], (size_t)(slash - argv[0])), O_PATH | O_CLOEXEC) : AT_FDCWD;

	return execveat(folder, slash ? slash + 1 : argv[0], argv, environment, 0);
}

static int by_list(const char *way, char **argv)
{
	/* more than any processor passes in registers, so that the environment is among those on the stack */
	char *a[9] = {0};

	for (int i = 0; i < 8 && argv[i]; i++)
		a[i] = argv[i];
	if (strcmp(way, "execl") == 0)
		return execl(a[0], a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], (char *)NULL);
	if (strcmp(way, "execlp") == 0)
		return execlp(a[0], a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], (char *)NULL);
	if (strcmp(way, "execle-short") == 0)
		return execle(a[0], a[0], (char *)NULL, environment);
	return execle(a[0], a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], (char *)NULL, environment);
}

/* The bad address of the arguments keeps the kernel from reading the variable, whose page nobody has touched. */
static int untouched_environment(char **argv)
{
	void *volatile bad = (void *)8;
	char *variable = mmap(NULL, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *variables[] = {variable, NULL};
	unsigned char resident;

	if (variable == MAP_FAILED || execve(argv[0], bad, variables) == 0 ||
		mincore(variable, 1, &resident) < 0)
		return -1;
	return resident & 1 ? 8 : 7;
}

/* Returns only if it fails, except for the ways that spawn. */
static int go(const char *way, char **argv)
{
	void *volatile bad = (void *)8,
		       *volatile none = NULL; /* volatile, because the compiler would optimise it away */

	if (strcmp(way, "execve") == 0)
		return execve(argv[0], argv, environment);
	if (strcmp(way, "execv") == 0)
		return execv(argv[0], argv);
	if (strcmp(way, "execvp") == 0)
		return execvp(argv[0], argv);
	if (strcmp(way, "execvpe") == 0)
		return execvpe(argv[0], argv, environment);
	if (strcmp(way, "fexecve") == 0)
		return by_descriptor(argv);
	if (strcmp(way, "execveat") == 0)
		return by_folder(argv);
	if (strcmp(way, "execveat-empty") == 0)
		return by_empty_path(argv);
	if (strcmp(way, "posix_spawn") == 0)
		return by_spawning(posix_spawn, argv);
	if (strcmp(way, "posix_spawnp") == 0)
		return by_spawning(posix_spawnp, argv);
	if (strncmp(way, "execl", 5) == 0)
		return by_list(way, argv);
	if (strcmp(way, "bad-path") == 0)
		return execve(bad, argv, environment);
	if (strcmp(way, "bad-arguments") == 0)
		return execve(argv[0], bad, environment);
	if (strcmp(way, "no-arguments") == 0)
		return execve(argv[0], none, environment);
	if (strcmp(way, "bad-argument") == 0) {
		argv[1] = bad;
		return execve(argv[0], argv, environment);
	}
	if (strcmp(way, "bad-environment") == 0)
		return execve(argv[0], argv, bad);
	if (strcmp(way, "long-argument") == 0) {
		static char argument[200000];

		argv[1] = memset(argument, 'x', sizeof(argument) - 1);
		return execve(argv[0], argv, environment);
	}
	if (strcmp(way, "untouched-environment") == 0)
		return untouched_environment(argv);
	if (strcmp(way, "no-environment") == 0)
		return execve(argv[0], argv, NULL);
	errno = EINVAL;
	return -1;
}

static int say_errno(void)
{
	printf("errno: %s\n", strerrorname_np(errno));
	return fflush(stdout) == 0 ? 100 : 101;
}

int main(int argc, char **argv)
{
	const char *way = argv[1];
	int status;

	if (argc < 3)
		return 2;
	if (getenv("FROM"))
		environment[1] = getenv("FROM") - strlen("FROM=");
	errno = ENOTTY; /* a hook must not leave this changed, or set */
	if (strncmp(way, "vfork-", 6) == 0) {
		pid_t child = vfork();

		if (child == 0) {
			go(way + 6, argv + 2);
			_exit(100);
		}
		status = child < 0 ? -1 : status_of(child);
	} else if (strncmp(way, "off-", 4) == 0) {
		environment[environment[1] ? 2 : 1] = off;
		status = go(way + 4, argv + 2);
	} else {
		status = go(way, argv + 2);
	}
	return status < 0 ? say_errno() : status;
}
