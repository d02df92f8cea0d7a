/* SPDX-License-Identifier: MIT */
/* Scripts and their interpreters. */
#include "elf/script.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

#define SCRIPTS_MAX 5    /* interpreters of interpreters: BINPRM_MAX_RECURSION is 4 */
#define SCRIPT_LINE 256u /* BINPRM_BUF_SIZE: bytes of a script's first line that the kernel reads */

/* "#!" and the interpreter's path, as the kernel reads it (fs/binfmt_script.c). Returns whether there is one.
 */
static bool script_interpreter(const char *path, char interpreter[SCRIPT_LINE])
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char line[SCRIPT_LINE];
	const char *start;
	ssize_t n = fd < 0 ? -1 : pread(fd, line, sizeof(line) - 1, 0);
	size_t length;

	if (n < 3 || line[0] != '#' || line[1] != '!')
		return false;
	line[n] = '\0';
	start = line + 2 + strspn(line + 2, " \t");
	length = strcspn(start, " \t\n");
	memcpy(interpreter, start, length);
	interpreter[length] = '\0';
	return length > 0;
}

int script_executed(const char *program, char **ret)
{
	char *path = realpath(program, NULL);
	char interpreter[SCRIPT_LINE];

	for (int depth = 0; path && depth < SCRIPTS_MAX && script_interpreter(path, interpreter); depth++) {
		free(path);
		path = realpath(interpreter, NULL);
	}
	if (!path)
		return -errno;
	*ret = path;
	return 0;
}
