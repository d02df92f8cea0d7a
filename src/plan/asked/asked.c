/* SPDX-License-Identifier: MIT */
/* Reads arguments from memory, and resolves paths with the kernel's help, as the shims do (ldpreload/plan/asked.c). */
#include "plan/asked/asked.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/links.h"
#include "base/stranger.h"
#include "format/asked/search.h"

struct arguments {
	const char *const *argv;
	unsigned int n;
	int folder; /* where relative paths begin */
	int own;    /* owned: `folder` once it has been changed; or -1 */
	bool of_root;
};

static bool may_look(const struct arguments *arguments, const char *path)
{
	struct stranger stranger;

	return !arguments->of_root || stranger_find_unasked_at(arguments->folder, path, &stranger) == 0;
}

static long read_argument(void *context, unsigned int number, size_t offset, char *text, size_t size)
{
	const struct arguments *arguments = context;
	size_t length;

	if (number >= arguments->n)
		return ASKED_END;
	length = strnlen(arguments->argv[number] + offset, size);
	memcpy(text, arguments->argv[number] + offset, length);
	return (long)length;
}

static bool resolve(void *context, char text[ASKED_TEXT_SIZE])
{
	const struct arguments *arguments = context;
	_cleanup_close_ int fd =
		may_look(arguments, text) ? openat(arguments->folder, text, O_PATH | O_CLOEXEC) : -1;
	char path[PATH_MAX];

	if (fd < 0 || path_of_fd(fd, path) < 0 || strlen(path) >= ASKED_TEXT_SIZE)
		return false;
	strcpy(text, path);
	return true;
}

static bool enter(void *context, const char *path)
{
	struct arguments *arguments = context;
	int fd = may_look(arguments, path) ? openat(arguments->folder, path, O_PATH | O_DIRECTORY | O_CLOEXEC)
					   : -1;

	if (fd < 0)
		return false;
	if (arguments->own >= 0)
		close(arguments->own);
	arguments->folder = arguments->own = fd;
	return true;
}

static bool exists(void *context, const char *path)
{
	_cleanup_close_ int fd = may_look(context, path) ? open(path, O_PATH | O_CLOEXEC) : -1;

	return fd >= 0;
}

static bool find(const char *rule, const char *const *argv, int folder, bool of_root, struct asked *ret)
{
	struct arguments arguments = {.argv = argv, .folder = folder, .own = -1, .of_root = of_root};
	const struct asked_source source = {
		.context = &arguments,
		.read = read_argument,
		.resolve = resolve,
		.enter = enter,
		.exists = exists,
	};
	bool known;

	while (argv[arguments.n])
		arguments.n++;
	known = asked_for(rule, &source, ret);
	if (arguments.own >= 0)
		close(arguments.own);
	return known;
}

bool asked_by_arguments(const char *rule, const char *const *argv, int folder, struct asked *ret)
{
	return find(rule, argv, folder, false, ret);
}

bool asked_by_arguments_of_root(const char *rule, const char *const *argv, int folder, struct asked *ret)
{
	return find(rule, argv, folder, true, ret);
}
