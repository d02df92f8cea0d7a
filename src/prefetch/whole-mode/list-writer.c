/* SPDX-License-Identifier: MIT */
#include "prefetch/whole-mode/list-writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int object_list_writer(int fd, char ret[PATH_MAX])
{
	char link[32];
	uint32_t pid;
	ssize_t n = pread(fd, &pid, sizeof(pid), offsetof(struct object_list, pid));

	if (n != sizeof(pid))
		return n < 0 ? -errno : -ENODATA;
	snprintf(link, sizeof(link), "/proc/%" PRIu32 "/exe", pid);
	n = readlink(link, ret, PATH_MAX - 1);
	if (n < 0)
		return -errno;
	ret[n] = '\0';
	return 0;
}

int object_list_folder(int fd, char ret[OBJECT_STATE_SIZE])
{
	ssize_t n = pread(fd, ret, OBJECT_STATE_SIZE, offsetof(struct object_list, state));

	if (n < 0)
		return -errno;
	return n == OBJECT_STATE_SIZE && ret[0] == '/' && memchr(ret, '\0', OBJECT_STATE_SIZE) ? 0 : -ENODATA;
}
