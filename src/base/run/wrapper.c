/* SPDX-License-Identifier: MIT */
#include "base/run/wrapper.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/open.h"
#include "base/run/search.h"

bool is_wrapper(const char *path)
{
	_cleanup_close_ int fd = open_regular(path, 0);
	char head[sizeof(WRAPPER_HEAD) - 1];

	return fd >= 0 && pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
		memcmp(head, WRAPPER_HEAD, sizeof(head)) == 0;
}

int wrapper_check_program(void *context, const char *path)
{
	int r = search_check_executable(context, path);

	return r == 0 && is_wrapper(path) ? -ENOENT : r;
}
