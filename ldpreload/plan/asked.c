/* SPDX-License-Identifier: MIT */
/*
 * Reads arguments and resolves paths for format/asked.h. A path is opened with O_PATH, which has no effect on what it
 * leads to, and its canonical form is what the kernel says of the descriptor.
 */
/* Small rather than fast: it is in every program, and runs only where there is a plan with a rule. */
#ifndef __clang__
#pragma GCC optimize("Os")
#endif

#include "plan/asked.h"

#include "core/caller.h"
#include "core/memory.h"
#include "core/text.h"

#include <linux/openat2.h>

#include "format/asked/search.h"

#define PAGE                 4096u /* no architecture has smaller ones */
#define SCRIPT_ARGUMENTS_MAX 2 /* that the kernel puts before a script: its interpreter and one argument */

struct reader {
	const struct start_arguments *arguments;
	int self;    /* process id */
	int folder;  /* where relative paths begin; ours to close unless AT_FDCWD */
	bool unsure; /* whether something exists could not be found out */
};

/* The address of an argument; NULL after the last one. False if it cannot be read. */
static bool address_of(const struct reader *reader, unsigned int number, const char **ret)
{
	const struct start_arguments *arguments = reader->arguments;

	number += arguments->first;
	if (!arguments->list) {
		*ret = arguments->words ? (const char *)caller_argument(arguments->words, number) : NULL;
		return true;
	}
	return memory_read(reader->self, &arguments->list[number], ret, sizeof(*ret)) == sizeof(*ret);
}

/* Copies a string up to its NUL, page by page: what follows the page of the NUL may not be mapped. Returns its length, or
 * `size` if it is longer; or -1. */
static long read_string(const struct reader *reader, const char *from, char *to, size_t size)
{
	size_t length = 0;

	while (length < size) {
		size_t piece = PAGE - (uintptr_t)(from + length) % PAGE;

		if (piece > size - length)
			piece = size - length;
		if (memory_read(reader->self, from + length, to + length, piece) != (long)piece)
			return -1;
		for (size_t end = length + piece; length < end; length++)
			if (!to[length])
				return (long)length;
	}
	return (long)length;
}

static long read_argument(void *context, unsigned int number, size_t offset, char *text, size_t size)
{
	const struct reader *reader = context;
	const char *argument;
	long length;

	if (!address_of(reader, number, &argument))
		return ASKED_ERROR;
	if (!argument)
		return ASKED_END;
	length = read_string(reader, argument + offset, text, size);
	return length < 0 ? ASKED_ERROR : length;
}

static int open_how(int folder, const char *path, int flags, uint64_t resolve)
{
	const struct open_how how = {.flags = (uint64_t)(O_PATH | O_CLOEXEC | flags), .resolve = resolve};

	return (int)raw_syscall(__NR_openat2, folder, (long)path, (long)&how, sizeof(how), 0, 0);
}

/*
 * From the nearest folder on the path that the kernel knows: the rest has to be looked up, which takes no time to speak of where a disk of
 * this machine has all of it. The path is changed meanwhile.
 */
static int open_unknown(int folder, char *path, int flags)
{
	size_t end = shim_length(path);

	while (end > 0 && path[end - 1] == '/')
		end--;
	while (end > 0) {
		char *rest, kept;
		int at, fd;

		while (end > 0 && path[end - 1] != '/')
			end--;
		rest = path + end;
		kept = *rest;
		*rest = '\0';
		at = open_how(folder, end > 0 ? path : ".", O_DIRECTORY, RESOLVE_CACHED);
		*rest = kept;
		if (at >= 0) {
			fd = shim_on_this_machine(at) ? open_how(at, rest, flags, RESOLVE_NO_XDEV) : -EAGAIN;
			sys_close(at);
			return fd;
		}
		while (end > 0 && path[end - 1] == '/')
			end--;
	}
	return -EAGAIN;
}

/*
 * Whoever starts the program waits, too, so a server that may never answer is not asked: then the start has no key. Before Linux 5.12 it is
 * asked, and kernels that mount before they see RESOLVE_NO_XDEV wait for an automounter. The path lies in a struct asked, which is ours.
 */
static int open_path(const struct reader *reader, const char *path, int flags)
{
	int fd = open_how(reader->folder, path, flags, RESOLVE_CACHED);

	if (fd == -EAGAIN)
		fd = open_unknown(reader->folder, (char *)path, flags);
	if (fd == -ENOSYS || fd == -EINVAL || fd == -E2BIG)
		fd = (int)raw_syscall(
			__NR_openat, reader->folder, (long)path, O_PATH | O_CLOEXEC | flags, 0, 0, 0);
	return fd;
}

static bool resolve(void *context, char text[ASKED_TEXT_SIZE])
{
	int fd = open_path(context, text, 0);
	char link[SHIM_FD_PATH_SIZE];
	long length;

	if (fd < 0)
		return false;
	shim_fd_path(fd, link);
	length = sys_readlink(link, text, ASKED_TEXT_SIZE);
	sys_close(fd);
	if (length <= 0 || length >= (long)ASKED_TEXT_SIZE)
		return false;
	text[length] = '\0';
	return true;
}

static void leave(struct reader *reader)
{
	if (reader->folder != AT_FDCWD)
		sys_close(reader->folder);
	reader->folder = AT_FDCWD;
}

static bool enter(void *context, const char *path)
{
	struct reader *reader = context;
	int fd = open_path(reader, path, O_DIRECTORY);

	if (fd < 0)
		return false;
	leave(reader);
	reader->folder = fd;
	return true;
}

static bool exists(void *context, const char *path)
{
	struct reader *reader = context;
	int fd = open_path(reader, path, 0);

	if (fd >= 0)
		sys_close(fd);
	reader->unsure |= fd < 0 && fd != -ENOENT && fd != -ENOTDIR && fd != -EACCES;
	return fd >= 0;
}

struct start_arguments arguments_of_start(char **argv, const char *program)
{
	struct start_arguments arguments = {.list = (const char *const *)argv};

	/* Of a script the first is its interpreter. A program that is given its own path is no script. */
	if (!argv[0] || argv[0][0] != '/' || shim_equal(argv[0], program))
		return arguments;
	for (unsigned int i = 1; i <= SCRIPT_ARGUMENTS_MAX && argv[i - 1] && argv[i]; i++)
		if (shim_equal(argv[i], program))
			arguments.first = i;
	return arguments;
}

void asked_find(const char *rule, const struct start_arguments *arguments, struct asked *ret)
{
	struct reader reader = {.arguments = arguments, .self = sys_getpid(), .folder = AT_FDCWD};
	const struct asked_source source = {
		.context = &reader,
		.read = read_argument,
		.resolve = resolve,
		.enter = enter,
		.exists = exists,
	};

	asked_for(rule, &source, ret);
	if (reader.unsure)
		ret->key = 0;
	leave(&reader);
}
