/* SPDX-License-Identifier: MIT */
#include "prefetch/whole-mode/list-writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "format/object-list.h"

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
