/* SPDX-License-Identifier: MIT */
/* Running a program for its output. */
#include "package/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/strings.h"

#define BATCH_BYTES (256 * 1024) /* an eighth of what execve(2) takes with the usual stack limit */

size_t capture_batch(const char *const *arguments, size_t n)
{
	size_t bytes = 0, i;

	for (i = 0; i < n; i++) {
		bytes += strlen(arguments[i]) + 1 + sizeof(char *);
		if (bytes > BATCH_BYTES && i > 0)
			break;
	}
	return i;
}

/* This process's environment, but in the C locale: messages are parsed. The caller frees the array alone. */
static char **c_locale_environment(void)
{
	size_t n = 0, kept = 0;
	char **copy;

	while (environ[n])
		n++;
	copy = malloc((n + 2) * sizeof(*copy));
	if (!copy)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (!after_prefix(environ[i], "LC_ALL=") && !after_prefix(environ[i], "LANGUAGE="))
			copy[kept++] = environ[i];
	copy[kept++] = (char *)"LC_ALL=C";
	copy[kept] = NULL;
	return copy;
}

static int spawn(char *const *argv, int output, pid_t *ret_pid)
{
	_cleanup_free_ char **environment = c_locale_environment();
	posix_spawn_file_actions_t actions;
	int r;

	if (!environment)
		return -ENOMEM;
	r = posix_spawn_file_actions_init(&actions);
	if (r != 0)
		return -r;
	r = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (r == 0)
		r = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (r == 0)
		r = posix_spawnp(ret_pid, argv[0], &actions, NULL, argv, environment);
	posix_spawn_file_actions_destroy(&actions);
	return -r;
}

/* The command and its arguments as execve(2) wants them; the caller frees the array alone. */
static char **join(const char *const *command, const char *const *arguments, size_t n)
{
	size_t words = 0;
	char **argv;

	while (command[words])
		words++;
	argv = calloc(words + n + 1, sizeof(*argv));
	if (!argv)
		return NULL;
	memcpy(argv, command, words * sizeof(*argv));
	if (n > 0)
		memcpy(argv + words, arguments, n * sizeof(*argv));
	return argv;
}

int capture(const char *const *command, const char *const *arguments, size_t n, char **ret_output,
	int *ret_status)
{
	_cleanup_free_ char **argv = join(command, arguments, n);
	_cleanup_free_ char *output = NULL;
	_cleanup_close_ int reading = -1, writing = -1;
	int pipe_ends[2], status, r;
	size_t size;
	pid_t pid;

	if (!argv)
		return -ENOMEM;
	if (pipe2(pipe_ends, O_CLOEXEC) < 0)
		return -errno;
	reading = pipe_ends[0];
	writing = pipe_ends[1];
	r = spawn(argv, writing, &pid);
	if (r < 0)
		return r;
	close(TAKE_FD(writing));
	r = read_to_end(reading, SIZE_MAX, &output, &size);
	close(TAKE_FD(reading)); /* after a failure the program must not wait for its reader */
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (r < 0)
		return r;
	if (!WIFEXITED(status))
		return -EIO;
	*ret_output = TAKE_PTR(output);
	*ret_status = WEXITSTATUS(status);
	return 0;
}
