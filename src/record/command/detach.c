/* SPDX-License-Identifier: MIT */
/* Replaces the mappings of our own code and data by copies, one mapping at a time. */
#include "record/command/detach.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "base/cleanup.h"
#include "base/files/io.h"

#define MAPS_LIMIT (4u << 20) /* bytes */

/* Lets the kernel copy: at a page past the end of its file it stops short, where our own read would fault. */
static bool copy_memory(void *to, uintptr_t from, size_t size)
{
	const struct iovec local = {.iov_base = to, .iov_len = size};
	const struct iovec remote = {.iov_base = (void *)from, .iov_len = size};

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* Finishes the copy before it replaces the original in one step, because code may be running in it. */
static int replace_mapping(uintptr_t start, uintptr_t end, int protection)
{
	size_t size = end - start;
	void *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int r;

	if (copy == MAP_FAILED)
		return -errno;
	errno = EFAULT;
	if (copy_memory(copy, start, size) && mprotect(copy, size, protection) == 0 &&
		mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)start) != MAP_FAILED)
		return 0;
	r = -errno;
	munmap(copy, size);
	return r;
}

int detach_from_files(void)
{
	_cleanup_free_ char *maps = NULL;
	size_t size;
	int result = read_pseudo_file("/proc/self/maps", MAPS_LIMIT, &maps, &size);
	char *rest = maps, *line;

	while ((line = strsep(&rest, "\n"))) {
		uintptr_t start, end;
		unsigned long inode;
		char mode[5];
		int protection, r;

		/* start-end mode offset device inode path */
		if (sscanf(line, "%zx-%zx %4s %*x %*x:%*x %lu", &start, &end, mode, &inode) != 4 || !inode ||
			mode[0] != 'r' || mode[3] != 'p')
			continue;
		protection = PROT_READ | (mode[1] == 'w' ? PROT_WRITE : 0) | (mode[2] == 'x' ? PROT_EXEC : 0);
		r = replace_mapping(start, end, protection);
		if (r < 0)
			result = r;
	}
	return result;
}
