/* SPDX-License-Identifier: MIT */
/*
 * page out FILE…: drops the files from the page cache, and makes sure of it: exit status 1 if a page stays,
 * 77 if the file system cannot tell (tmpfs, overlayfs). page in FILE…:  exit status 0 if the middle of each
 * file's relocation table is resident. page came FILE…: prints how many bytes of them have come since, whatever
 * the kernel may have taken again by itself; exit status 0 if all have, 1 if not, 2 if a file cannot be looked at.
 * page none FILE…: likewise, exit status 0 if not a single one has come. page probed FILE…: likewise, exit status 0 if
 * at most one page has: asking whether a probe is resident may bring it in (format/resident.h). page taken FILE…: prints
 * how many it has taken.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "prefetch/whole-mode/object-parts.h"
#include "taken.h"

#define DROP_ATTEMPTS 100 /* 1 s in all */
#define DROP_PAUSE_US 10000
#define PAGE          UINT64_C(4096)
#define WINDOW        (UINT64_C(16) << 20) /* bytes that are looked at together */

/* The resident pages of [begin, end), which is no larger than WINDOW. */
static uint64_t resident_in_window(int fd, uint64_t begin, uint64_t end)
{
	unsigned char pages[WINDOW / PAGE];
	void *at = mmap(NULL, end - begin, PROT_READ, MAP_SHARED, fd, (off_t)begin);
	uint64_t count = 0;

	if (at == MAP_FAILED || mincore(at, end - begin, pages) != 0) {
		perror("page");
		exit(2);
	}
	for (uint64_t i = 0; i < (end - begin) / PAGE; i++)
		count += pages[i] & 1;
	munmap(at, end - begin);
	return count;
}

/* The pages of [offset, offset + size) that are resident; mincore(2) tells the truth to the owner of the file. */
static uint64_t resident(int fd, uint64_t offset, uint64_t size)
{
	uint64_t begin = offset & ~(PAGE - 1), end = (offset + size + PAGE - 1) & ~(PAGE - 1), count = 0;

	for (; begin < end; begin += WINDOW)
		count += resident_in_window(fd, begin, end - begin < WINDOW ? end : begin + WINDOW);
	return count;
}

/* Whether preadv2(RWF_NOWAIT), which is what headstart goes by, tells anything here. */
static bool can_tell(int fd)
{
	char byte;
	struct iovec to = {.iov_base = &byte, .iov_len = 1};

	return preadv2(fd, &to, 1, 0, RWF_NOWAIT) == 1 || errno == EAGAIN;
}

/* Waits until no read of the file is under way. */
static void read_through(int fd)
{
	static char buffer[1 << 16];

	for (off_t at = 0; pread(fd, buffer, sizeof(buffer), at) > 0; at += (off_t)sizeof(buffer))
		;
}

/*
 * A page that is being read cannot be dropped. It does not count as resident yet, but soon will; and asking whether
 * it is there may start such a read.
 */
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
		usleep(DROP_PAUSE_US); /* somebody else may be reading it, or the kernel move its pages */
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

static uint64_t bytes_of(uint64_t pages, uint64_t size)
{
	return pages * PAGE < size ? pages * PAGE : size;
}

int main(int argc, char **argv)
{
	uint64_t bytes = 0, missing = 0;
	bool all = strcmp(argv[1], "came") == 0, none = strcmp(argv[1], "none") == 0;
	bool probed = strcmp(argv[1], "probed") == 0, taken = strcmp(argv[1], "taken") == 0;
	bool came = all || none || probed;

	for (int i = 2; i < argc; i++) {
		int fd = open(argv[i], O_RDONLY | O_CLOEXEC), status = 0;
		struct stat st;
		uint64_t size, these;

		if (fd < 0 || fstat(fd, &st) < 0)
			return 2;
		size = (uint64_t)st.st_size;
		if (strcmp(argv[1], "out") == 0)
			status = page_out(fd, size);
		else if (strcmp(argv[1], "in") == 0)
			status = page_in(fd, size);
		if (status != 0)
			return status;
		/*
		 * Counts the resident pages first, so that a page which the kernel takes in between counts as well.
		 */
		these = came ? resident(fd, 0, size) : 0;
		these = bytes_of(these + pages_taken(fd, 0, size), size);
		bytes += these;
		missing += size - these;
		close(fd);
	}
	if (came || taken)
		printf("%" PRIu64 "\n", bytes);
	return (all && missing > 0) || (none && bytes > 0) || (probed && bytes > PAGE);
}
