/* SPDX-License-Identifier: MIT */
#include "base/paths/steps.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define LINKS_MAX 40 /* as the kernel has it: path_resolution(7) */

int steps_begin(struct steps *steps, const char *path)
{
	if (strlen(path) >= sizeof(steps->rest))
		return -ENAMETOOLONG;
	strcpy(steps->rest, path);
	steps->from_root = path[0] == '/';
	steps->links = 0;
	return 0;
}

int steps_take(struct steps *steps, char ret[NAME_MAX + 1])
{
	size_t slashes = strspn(steps->rest, "/"), length = strcspn(steps->rest + slashes, "/");

	if (length > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(ret, steps->rest + slashes, length);
	ret[length] = '\0';
	memmove(steps->rest, steps->rest + slashes + length, strlen(steps->rest + slashes + length) + 1);
	return 0;
}

int steps_follow(struct steps *steps, int link)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(link, "", target, sizeof(target) - 1);
	size_t left = strlen(steps->rest);

	if (n <= 0)
		return n < 0 ? -errno : -ENOENT;
	if (++steps->links > LINKS_MAX)
		return -ELOOP;
	if ((size_t)n + left + 1 > sizeof(steps->rest))
		return -ENAMETOOLONG;
	memmove(steps->rest + n, steps->rest, left + 1);
	memcpy(steps->rest, target, (size_t)n);
	steps->from_root = target[0] == '/';
	return 0;
}
