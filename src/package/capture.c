/* SPDX-License-Identifier: MIT */
/* Runs a program for its output. */
#include "package/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/run/process.h"
#include "base/run/search.h"

#define BATCH_BYTES (256 * 1024) /* an eighth of execve(2)'s limit with the usual stack limit */

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

/* The command and its arguments in the form of execve(2). The caller frees only the array. */
static const char **join(const char *const *command, const char *const *arguments, size_t n)
{
	size_t words = 0;
	const char **argv;

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
	_cleanup_free_ const char **argv = join(command, arguments, n);
	_cleanup_(process_result_releasep) struct process_result result = {0};
	const struct process_options options = {.argv = argv, .stay = true};
	const char *folders = getenv("PATH");
	char path[PATH_MAX];
	int r;

	if (!argv)
		return -ENOMEM;
	r = search_folders(
		folders ? folders : SEARCH_DEFAULT, command[0], search_check_executable, NULL, path);
	if (r < 0)
		return r;
	argv[0] = path;
	r = process_run(&options, &result);
	if (r < 0)
		return r;
	if (!WIFEXITED(result.status))
		return -EIO;
	*ret_output = TAKE_PTR(result.out);
	*ret_status = WEXITSTATUS(result.status);
	return 0;
}
