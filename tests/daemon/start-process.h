/* SPDX-License-Identifier: MIT */
/* A process that becomes something and stays so until it is killed. For test programs that look at others. */
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"

static inline void stay(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* setuid(2) cleared it */
	for (;;)
		pause();
}

/*
 * Returns when the child has become that; -1 if it cannot. If `become` executes a program, that is ready when it has written a byte to the
 * descriptor `ready`.
 */
static inline pid_t start_process(bool (*become)(const void *context, int ready), const void *context)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!become(context, ready[1]) || write(ready[1], "", 1) != 1)
			_exit(1);
		stay();
	}
	close(ready[1]);
	if (pid > 0 && read(ready[0], &byte, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(ready[0]);
	return pid;
}

static inline void end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static inline int write_program(const char *path, const char *content, size_t size)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);

	return fd < 0 || fchmod(fd, 0755) < 0 ? -1 : write_full(fd, content, size);
}

static inline int copy_program(const char *from, const char *to)
{
	_cleanup_free_ char *data = NULL;
	size_t size;

	return read_file(from, 64u << 20, &data, &size) < 0 ? -1 : write_program(to, data, size);
}
