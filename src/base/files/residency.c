/* SPDX-License-Identifier: MIT */
/* Residency by mincore(2), and by preadv2(2). */
#include "base/files/residency.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/times.h"

/* Whether mincore is truthful to us about this file: mm/mincore.c, can_do_mincore(). */
static bool mincore_is_honest(int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && st.st_uid == geteuid())
		return true;
	return faccessat(fd, "", W_OK, AT_EACCESS | AT_EMPTY_PATH) == 0;
}

int residency_map(int fd, uint64_t offset, size_t pages, unsigned char *present)
{
	size_t size = pages * (size_t)sysconf(_SC_PAGESIZE);
	void *map;
	int r;

	if (!mincore_is_honest(fd))
		return -EPERM;
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, (off_t)offset);
	if (map == MAP_FAILED)
		return -errno;
	r = mincore(map, size, present) < 0 ? -errno : 0;
	munmap(map, size);
	return r;
}

int residency_of_range(int fd, uint64_t offset, uint64_t length, uint64_t *ret_bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start = offset / page * page;
	size_t size = (size_t)(offset + length - start), pages = (size + page - 1) / page;
	_cleanup_free_ unsigned char *present = NULL;
	uint64_t resident = 0;
	int r;

	if (!mincore_is_honest(fd))
		return -EPERM;
	if (length == 0) {
		*ret_bytes = 0;
		return 0;
	}
	present = malloc(pages);
	if (!present)
		return -ENOMEM;
	r = residency_map(fd, start, pages, present);
	if (r < 0)
		return r;
	for (size_t i = 0; i < pages; i++)
		resident += (present[i] & 1) * page;
	*ret_bytes = resident < length ? resident : length;
	return 0;
}

/* For file systems that do not support RWF_NOWAIT. */
static int residency_by_mincore(int fd, uint64_t offset)
{
	uint64_t bytes = 0;
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (offset >= (uint64_t)st.st_size)
		return -ENODATA;
	r = residency_of_range(fd, offset, 1, &bytes);
	return r < 0 ? r : bytes > 0;
}

int residency_of_page(int fd, uint64_t offset, unsigned within_us)
{
	char byte;
	struct iovec to = {.iov_base = &byte, .iov_len = 1};
	uint64_t start_us = monotonic_us();
	ssize_t n = preadv2(fd, &to, 1, (off_t)offset, RWF_NOWAIT);

	if (n < 0 && errno == EOPNOTSUPP)
		return residency_by_mincore(fd, offset);
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	if (n == 0)
		return -ENODATA;
	return monotonic_us() - start_us <= within_us;
}
