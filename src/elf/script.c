/* SPDX-License-Identifier: MIT */
/* Scripts and their interpreters. */
#include "elf/script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"

bool script_interpreter(int fd, char ret[SCRIPT_HEAD])
{
	char head[SCRIPT_HEAD + 1] = "";
	ssize_t n = pread(fd, head, SCRIPT_HEAD, 0);
	const char *start;
	size_t length;

	if (n < 3 || head[0] != '#' || head[1] != '!')
		return false;
	start = head + 2 + strspn(head + 2, " \t");
	length = strcspn(start, " \t\n");
	if (length == 0 || start + length == head + SCRIPT_HEAD) /* its end is not in what was read */
		return false;
	memcpy(ret, start, length);
	ret[length] = '\0';
	return true;
}

static bool interpreter_of(const char *path, char interpreter[SCRIPT_HEAD])
{
	_cleanup_close_ int fd = open_regular(path, 0);

	return fd >= 0 && script_interpreter(fd, interpreter);
}

/* Its canonical path, or NULL with errno. */
static char *find(const char *path, bool (*may_look)(const char *path))
{
	if (!may_look || may_look(path))
		return realpath(path, NULL);
	errno = EACCES;
	return NULL;
}

int script_executed(const char *program, bool (*may_look)(const char *path), char **ret)
{
	char *path = find(program, may_look);
	char interpreter[SCRIPT_HEAD];

	for (int depth = 0; path && depth < SCRIPT_DEPTH && interpreter_of(path, interpreter); depth++) {
		free(path);
		path = find(interpreter, may_look);
	}
	if (!path)
		return -errno;
	*ret = path;
	return 0;
}
