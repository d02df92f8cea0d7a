/* SPDX-License-Identifier: MIT */
/* A small file in /run: whoever is killed leaves it, and a reboot, which also restores read-ahead, removes it. */
#include "record/restore/left-note.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/open.h"

static bool only_root_writes(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == 0 &&
		!(st.st_mode & (S_IWGRP | S_IWOTH));
}

int left_note_read(struct read_ahead **ret, size_t *ret_n)
{
	_cleanup_close_ int fd = open_regular(READ_AHEAD_NOTE, OPEN_NO_LINKS);
	_cleanup_free_ struct read_ahead *devices = NULL;
	_cleanup_free_ char *text = NULL;
	struct read_ahead device;
	size_t n = 0, capacity = 0, size;
	char *rest;
	int r;

	if (fd < 0)
		return fd;
	if (!only_root_writes(fd))
		return -EPERM;
	r = read_to_end(fd, READ_AHEAD_NOTE_MAX, &text, &size);
	if (r < 0)
		return r;
	rest = text;
	while ((r = read_ahead_note_next(&rest, &device))) {
		if (r < 0)
			continue;
		r = ARRAY_RESERVE(devices, capacity, n + 1);
		if (r < 0)
			return r;
		devices[n++] = device;
	}
	*ret = TAKE_PTR(devices);
	*ret_n = n;
	return 0;
}

int left_note_write(const struct read_ahead *devices, size_t n)
{
	_cleanup_close_ int fd =
		open(READ_AHEAD_NOTE, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);

	if (fd < 0)
		return -errno;
	if (!only_root_writes(fd))
		return -EPERM;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 || ftruncate(fd, 0) < 0)
		return -errno;
	for (size_t i = 0; i < n; i++)
		if (dprintf(fd, "%s %u\n", devices[i].bdi, devices[i].kib) < 0)
			return -EIO;
	return TAKE_FD(fd);
}

void left_note_remove(void)
{
	unlink(READ_AHEAD_NOTE);
}
