/* SPDX-License-Identifier: MIT */
/* Maps the image so that neither drop_caches nor a write can change what the device shows next time. */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif

/* Touches every page for reading, so that a private mapping keeps sharing the page cache. */
static void populate(const uint8_t *data, size_t size)
{
	long page = sysconf(_SC_PAGESIZE);

	if (madvise((void *)data, size, MADV_POPULATE_READ) == 0)
		return;
	for (size_t at = 0; at < size; at += (size_t)page)
		(void)*(const volatile uint8_t *)(data + at);
}

/*
 * Makes two mappings, since mlock() on a private writable one would copy every page: the shared one is locked, and
 * requests use the private one.
 */
static int store_map(struct store *store, int fd, size_t size)
{
	void *locked, *data;

	locked = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (locked == MAP_FAILED)
		return -errno;
	data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	if (data == MAP_FAILED) {
		int error = -errno;

		munmap(locked, size);
		return error;
	}
	(void)mlock(locked, size);
	populate(data, size);
	*store = (struct store){.data = data, .size = size, .locked = locked};
	return 0;
}

int store_open(struct store *store, const char *path)
{
	struct stat st;
	int fd, r;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (!S_ISREG(st.st_mode) || st.st_size == 0)
		r = -EINVAL;
	else
		r = store_map(store, fd, (size_t)st.st_size);
	close(fd);
	return r;
}

void store_close(struct store *store)
{
	munmap(store->data, store->size);
	munmap(store->locked, store->size);
}
