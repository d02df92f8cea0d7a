/* SPDX-License-Identifier: MIT */
/* Whole reads and writes of file descriptors and files, and reading folders. */
#include "base/files/io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/open.h"

int write_full(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size > 0) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

/* Reads from an offset or, if that is negative, from the descriptor's position. */
static ssize_t read_all(int fd, void *data, size_t size, off_t offset)
{
	size_t done = 0;

	while (done < size) {
		char *to = (char *)data + done;
		size_t left = size - done;
		ssize_t n = offset < 0 ? read(fd, to, left) : pread(fd, to, left, offset + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

ssize_t read_full(int fd, void *data, size_t size)
{
	return read_all(fd, data, size, -1);
}

ssize_t pread_full(int fd, void *data, size_t size, off_t offset)
{
	return offset < 0 ? -EINVAL : read_all(fd, data, size, offset);
}

/* One call reads all that is expected: then the kernel asks the disk for all of it at once, and not for a few pages at a time. */
static int read_rest(int fd, size_t expected, size_t limit, char **ret_data, size_t *ret_size)
{
	_cleanup_free_ char *data = NULL;
	size_t capacity = 0, size = 0;
	int r;

	for (;;) {
		ssize_t n;

		r = ARRAY_RESERVE(data, capacity, (size > 0 ? size : expected) + 4096);
		if (r < 0)
			return r;
		n = read_full(fd, data + size, capacity - size - 1);
		if (n < 0)
			return (int)n;
		size += (size_t)n;
		if (size > limit)
			return -EFBIG;
		if (size < capacity - 1)
			break;
	}
	data[size] = '\0';
	*ret_data = TAKE_PTR(data);
	*ret_size = size;
	return 0;
}

int read_to_end(int fd, size_t limit, char **ret_data, size_t *ret_size)
{
	return read_rest(fd, 0, limit, ret_data, ret_size);
}

int read_open_file(int fd, size_t limit, char **ret_data, size_t *ret_size)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_size > (off_t)limit)
		return -EFBIG;
	return read_rest(fd, (size_t)st.st_size, limit, ret_data, ret_size);
}

int read_file(const char *path, size_t limit, char **ret_data, size_t *ret_size)
{
	_cleanup_close_ int fd = open_regular(path, 0);

	return fd < 0 ? fd : read_open_file(fd, limit, ret_data, ret_size);
}

int read_pseudo_file(const char *path, size_t limit, char **ret_data, size_t *ret_size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return read_to_end(fd, limit, ret_data, ret_size);
}

int opendir_at(int at, const char *path, DIR **ret)
{
	_cleanup_close_ int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);

	if (!folder)
		return -errno;
	fd = -1; /* the DIR owns it now */
	*ret = folder;
	return 0;
}
