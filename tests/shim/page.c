/* SPDX-License-Identifier: MIT */
/*
 * page out FILE…: drops the files from the page cache, and makes sure of it: exit status 1 if a page stays,
 * 77 if the file system cannot tell (tmpfs, overlayfs). page in FILE…:  exit status 0 if the middle of each
 * file's relocation table is resident. page full FILE…: exit status 0 if every page of every file is
 * resident.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "prefetch/object-parts.h"

#define DROP_ATTEMPTS 5

/* The pages of [offset, offset + size) that are resident; mincore(2) tells the truth to the owner of the
 * file. */
static uint64_t resident(int fd, uint64_t offset, uint64_t size)
{
	unsigned char pages[4096];
	uint64_t begin = offset & ~4095ull, end = (offset + size + 4095) & ~4095ull, count = 0;
	void *at = mmap(NULL, end - begin, PROT_READ, MAP_SHARED, fd, (off_t)begin);

	if (at == MAP_FAILED || (end - begin) / 4096 > sizeof(pages) || mincore(at, end - begin, pages) != 0)
		return 0;
	for (uint64_t i = 0; i < (end - begin) / 4096; i++)
		count += pages[i] & 1;
	munmap(at, end - begin);
	return count;
}

/* Whether preadv2(RWF_NOWAIT), which is what headstart goes by, tells anything here. */
static bool can_tell(int fd)
{
	char byte;
	struct iovec to = {.iov_base = &byte, .iov_len = 1};

	return preadv2(fd, &to, 1, 0, RWF_NOWAIT) == 1 || errno == EAGAIN;
}

/* Waits for all reads of the file that are under way. */
static void read_through(int fd)
{
	static char buffer[1 << 16];

	for (off_t at = 0; pread(fd, buffer, sizeof(buffer), at) > 0; at += (off_t)sizeof(buffer))
		;
}

/* A page that is being read cannot be dropped, does not count as resident, and soon is; and asking whether it is there may
 * have it read. */
static int page_out(int fd, uint64_t size)
{
	if (!can_tell(fd))
		return 77;
	for (int attempt = 0; attempt < DROP_ATTEMPTS; attempt++) {
		read_through(fd);
		if (fsync(fd) < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
			return 1;
		if (resident(fd, 0, size) == 0)
			return 0;
	}
	return 1;
}

static int page_in(int fd, uint64_t size)
{
	struct object_part parts[OBJECT_PARTS_MAX];

	if (object_parts(fd, size, parts) == 0)
		return 1;
	return resident(fd, parts[0].offset + parts[0].length / 2, 1) != 1;
}

static int page_full(int fd, uint64_t size)
{
	return resident(fd, 0, size) != (size + 4095) / 4096;
}

int main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		int fd = open(argv[i], O_RDONLY | O_CLOEXEC), status;
		struct stat st;

		if (fd < 0 || fstat(fd, &st) < 0)
			return 2;
		if (strcmp(argv[1], "out") == 0)
			status = page_out(fd, (uint64_t)st.st_size);
		else if (strcmp(argv[1], "in") == 0)
			status = page_in(fd, (uint64_t)st.st_size);
		else
			status = page_full(fd, (uint64_t)st.st_size);
		if (status != 0)
			return status;
		close(fd);
	}
	return 0;
}
