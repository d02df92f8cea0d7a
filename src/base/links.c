/* SPDX-License-Identifier: MIT */
#include "base/links.h"

#include <errno.h>
#include <stdio.h>

#include "base/strings.h"

int path_of_fd(int fd, char ret_path[PATH_MAX])
{
	char link[32], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path));
	if (n < 0)
		return -errno;
	if (n == sizeof(path))
		return -ENAMETOOLONG;
	path[n] = '\0';
	if (path[0] != '/' || ends_with(path, DELETED_SUFFIX))
		return -ENOENT;
	memcpy(ret_path, path, (size_t)n + 1);
	return 0;
}
