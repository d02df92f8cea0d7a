/* SPDX-License-Identifier: MIT */
/* We open them ourselves, because the recorded command would inherit descriptors of tracefs_cpu_open(). */
#include "record/events/buffers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <tracefs.h>
#include <unistd.h>

static int open_one(struct tracefs_instance *instance, int cpu)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "per_cpu/cpu%d/trace_pipe_raw", cpu);
	fd = tracefs_instance_file_open(instance, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int buffers_open(struct tracefs_instance *instance, struct buffers *ret)
{
	int n = (int)sysconf(_SC_NPROCESSORS_CONF), found = 0;

	*ret = (struct buffers){.cpus = calloc((size_t)n, sizeof(*ret->cpus)),
		.watched = calloc((size_t)n, sizeof(*ret->watched))};
	if (!ret->cpus || !ret->watched)
		return -ENOMEM;
	for (; ret->n < n; ret->n++) {
		int fd = open_one(instance, ret->n);

		if (fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM)
			return fd;
		ret->cpus[ret->n] = fd < 0 ? -1 : fd;
		found += fd >= 0;
	}
	return found ? 0 : -EIO;
}

int buffers_watch(struct buffers *buffers, int epoll)
{
	for (int cpu = 0; cpu < buffers->n; cpu++) {
		struct pollfd buffer = {.fd = buffers->cpus[cpu], .events = POLLIN};
		struct epoll_event ready = {.events = EPOLLIN};

		if (buffer.fd < 0 || buffers->watched[cpu] || poll(&buffer, 1, 0) < 0 ||
			buffer.revents & POLLERR)
			continue;
		if (epoll_ctl(epoll, EPOLL_CTL_ADD, buffer.fd, &ready) < 0)
			return -errno;
		buffers->watched[cpu] = true;
	}
	return 0;
}

void buffers_release(struct buffers *buffers)
{
	for (int cpu = 0; cpu < buffers->n; cpu++)
		if (buffers->cpus[cpu] >= 0)
			close(buffers->cpus[cpu]);
	free(buffers->cpus);
	free(buffers->watched);
	*buffers = (struct buffers){0};
}
