/* SPDX-License-Identifier: MIT */
#include "base/files/links.h"

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

int path_beside_us(const char *name, char ret_path[PATH_MAX])
{
	char own[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;
	size_t folder;

	if (n < 0)
		return -errno;
	own[n] = '\0';
	slash = strrchr(own, '/');
	if (!slash)
		return -ENOENT;
	folder = (size_t)(slash + 1 - own);
	if (folder + strlen(name) >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(ret_path, own, folder);
	strcpy(ret_path + folder, name);
	return 0;
}

bool link_is(const char *path, const char *text)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target));

	return n >= 0 && (size_t)n == strlen(text) && memcmp(target, text, (size_t)n) == 0;
}
