/* SPDX-License-Identifier: MIT */
#include "base/run/wrapper.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/run/search.h"

bool is_wrapper(const char *path)
{
	_cleanup_close_ int fd = -1;
	char head[sizeof(WRAPPER_HEAD) - 1];
	struct stat st;

	/* What begins cold is better not read here: its plan has it in the order of the disk. */
	if (stat(path, &st) < 0 || st.st_size > WRAPPER_MAX)
		return false;
	fd = open_regular(path, 0);
	return fd >= 0 && pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
		memcmp(head, WRAPPER_HEAD, sizeof(head)) == 0;
}

int wrapper_check_program(void *context, const char *path)
{
	int r = search_check_executable(context, path);

	return r == 0 && is_wrapper(path) ? -ENOENT : r;
}
