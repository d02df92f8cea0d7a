/* SPDX-License-Identifier: MIT */
/* Direct reads of what is not in memory, alone and many at once. */
#include "record/disks/sound.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/times.h"

#define TIME_MAX_MS   1000u
#define BLOCK         (1u << 20) /* bytes of a large read */
#define FILE_BLOCKS   4u         /* large reads of one file, behind each other */
#define LARGE_FILES   4u
#define PAGE          4096u /* what direct I/O is aligned to everywhere */
#define BURST         16u
#define BURST_LONG    64u
#define BURSTS        5u
#define APART         2u  /* pages between those of a burst, so that they do not become one request */
#define BURST_FAST_MS 20u /* a disk that serves a burst in this time gets long ones */
#define FILES_MAX     256u
#define SIZE_MIN      (64u << 10) /* bytes of a file that is read */
#define PAGES_MAX                                                                                            \
	(64u << 10) /* of a file, at its beginning, that are looked at: 16 MiB of memory for all files */

/* A file with parts that are not in memory. */
struct sounded {
	int fd;            /* owned; for direct reads */
	uint64_t pages;    /* of the kernel */
	uint8_t *resident; /* owned; mincore(2)'s */
	uint64_t next;     /* the page from which to look on */
};

struct sounding {
	struct sounded files[FILES_MAX];
	size_t n;
	uint64_t page_size, until_ms;
	aio_context_t context;
	char *buffer; /* owned: BLOCK or BURST_LONG pages */
};

static void sounding_release(struct sounding *sounding)
{
	if (sounding->context)
		syscall(SYS_io_destroy, sounding->context);
	for (size_t i = 0; i < sounding->n; i++) {
		close(sounding->files[i].fd);
		free(sounding->files[i].resident);
	}
	free(sounding->buffer);
}

static bool in_time(const struct sounding *sounding)
{
	return monotonic_ms() < sounding->until_ms;
}

/*
 * Which pages at the beginning of the file are in memory. The mapping itself touches none. The recorded user may have opened files that have
 * no end, so of each only so much is looked at as takes some milliseconds.
 */
static int look_up(struct sounded *file, uint64_t size, uint64_t page_size)
{
	size_t length;
	void *map;
	int r = 0;

	file->pages = size / page_size; /* whole ones */
	if (file->pages > PAGES_MAX)
		file->pages = PAGES_MAX;
	length = file->pages * page_size;
	map = mmap(NULL, length, PROT_READ, MAP_SHARED, file->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	file->resident = malloc(file->pages);
	if (!file->resident || mincore(map, length, file->resident) < 0)
		r = -errno;
	munmap(map, length);
	return r;
}

/* Adds a file if it can be read past the page cache. */
static void add_file(struct sounding *sounding, const struct record_file *from)
{
	struct sounded *file = &sounding->files[sounding->n];
	struct stat st;

	*file = (struct sounded){.fd = open_regular(from->path, OPEN_NO_LINKS | OPEN_NO_ATIME)};
	if (file->fd < 0)
		return;
	if (fstat(file->fd, &st) < 0 || (uint64_t)st.st_size < SIZE_MIN || st.st_ino != from->inode ||
		fcntl(file->fd, F_SETFL, O_DIRECT | O_NONBLOCK | O_NOATIME) < 0 ||
		look_up(file, (uint64_t)st.st_size, sounding->page_size) < 0) {
		free(file->resident);
		close(file->fd);
		return;
	}
	sounding->n++;
}

static int sounding_init(struct sounding *sounding, const struct record_files *files)
{
	sounding->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	sounding->until_ms = monotonic_ms() + TIME_MAX_MS;
	if (posix_memalign((void **)&sounding->buffer, sounding->page_size, BLOCK))
		return -ENOMEM;
	for (size_t i = 0; i < files->count && sounding->n < FILES_MAX && in_time(sounding); i++) {
		const struct record_file *file = &files->items[i];

		if (file->path && file->kind == PROFILE_REGULAR && file->by_tree && !file->ambiguous)
			add_file(sounding, file);
	}
	return sounding->n > 0 ? 0 : -ENOENT;
}

/* The next run of `pages` that are not in memory, from file->next on. UINT64_MAX if there is none. */
static uint64_t next_run(struct sounded *file, uint64_t pages)
{
	uint64_t run = 0;

	while (file->next < file->pages) {
		run = file->resident[file->next++] & 1 ? 0 : run + 1;
		if (run == pages)
			return file->next - pages;
	}
	return UINT64_MAX;
}

static void read_large(struct sounding *sounding)
{
	uint64_t pages = BLOCK / sounding->page_size;
	size_t done = 0;

	for (size_t i = 0; i < sounding->n && done < LARGE_FILES; i++) {
		struct sounded *file = &sounding->files[i];

		file->next = 0;
		for (size_t n = 0; n < FILE_BLOCKS && in_time(sounding); n++) {
			uint64_t page = next_run(file, pages);

			if (page == UINT64_MAX)
				break;
			if (pread(file->fd, sounding->buffer, BLOCK, (off_t)(page * sounding->page_size)) < 0)
				return;
			done += n == 0;
		}
	}
}

/* Chooses the next pages for a burst, one of each file in turn, far enough from each other not to become one request. */
static size_t choose(struct sounding *sounding, size_t n, struct iocb requests[])
{
	size_t chosen = 0;

	for (size_t empty = 0, i = 0; chosen < n && empty < sounding->n; i++) {
		struct sounded *file = &sounding->files[i % sounding->n];
		uint64_t page = next_run(file, 1);

		if (page == UINT64_MAX) {
			empty++;
			continue;
		}
		empty = 0;
		file->next += APART;
		requests[chosen] = (struct iocb){
			.aio_lio_opcode = IOCB_CMD_PREAD,
			.aio_fildes = (uint32_t)file->fd,
			.aio_buf = (uintptr_t)sounding->buffer + chosen * PAGE,
			.aio_nbytes = PAGE,
			.aio_offset = (int64_t)(page * sounding->page_size),
		};
		chosen++;
	}
	return chosen;
}

/* Reads n pages at once. Returns whether there were so many left, and the kernel took them. */
static bool read_burst(struct sounding *sounding, size_t n)
{
	struct iocb requests[BURST_LONG], *pointers[BURST_LONG];
	struct io_event events[BURST_LONG];
	long sent;

	if (choose(sounding, n, requests) < n)
		return false;
	for (size_t i = 0; i < n; i++)
		pointers[i] = &requests[i];
	sent = syscall(SYS_io_submit, sounding->context, (long)n, pointers);
	if (sent <= 0)
		return false;
	return syscall(SYS_io_getevents, sounding->context, sent, sent, events, NULL) == (long)n;
}

static void read_bursts(struct sounding *sounding)
{
	size_t n = BURST;

	if (syscall(SYS_io_setup, BURST_LONG, &sounding->context) < 0)
		return;
	for (size_t i = 0; i < sounding->n; i++)
		sounding->files[i].next = 0;
	for (size_t done = 0; done < BURSTS && in_time(sounding); done++) {
		uint64_t began = monotonic_ms();

		if (!read_burst(sounding, n))
			return;
		if (n == BURST && monotonic_ms() - began < BURST_FAST_MS) {
			n = BURST_LONG;
			done = 0;
		}
	}
}

void sound_disks(const struct record_files *files)
{
	_cleanup_(sounding_release) struct sounding sounding = {0};

	if (sounding_init(&sounding, files) < 0)
		return;
	read_large(&sounding);
	read_bursts(&sounding);
}
