/* SPDX-License-Identifier: MIT */
/*
 * FUSE file systems that want nothing cached from one open to the next. A server answers each open with flags
 * (linux/fuse.h): without FOPEN_KEEP_CACHE the kernel drops the file's pages, with FOPEN_DIRECT_IO it caches none. No
 * system call tells which flags a server sets, so this tries it out: maps the first page and opens the file again.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "device/device.h"

/* The first open that libfuse's auto_cache sees drops the pages, and the kernel may take a page for another reason: also
 * before the open, which then says nothing (it moves pages while it makes room for huge ones). */
#define TRIES 3

#define PAGEMAP_PRESENT (UINT64_C(1) << 63) /* Documentation/admin-guide/mm/pagemap.rst */

/* Whether the page at this address of ours is mapped, without touching it: that might map it, or raise SIGBUS. */
static int is_mapped(const void *address, size_t page_size)
{
	_cleanup_close_ int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry;

	if (pagemap < 0)
		return -errno;
	if (pread(pagemap, &entry, sizeof(entry), (off_t)((uintptr_t)address / page_size * sizeof(entry))) !=
		sizeof(entry))
		return -EIO;
	return (entry & PAGEMAP_PRESENT) != 0;
}

/* Returns 1 if opening the file unmaps this page of it, 0 if not, or -ENODATA if it could not be read. */
static int open_drops(int fd, const void *page, size_t page_size)
{
	_cleanup_close_ int again = -1;
	int r = is_mapped(page, page_size);

	if (r <= 0)
		return r < 0 ? r : -ENODATA;
	again = open_descriptor_again(fd, O_RDONLY);
	if (again < 0)
		return again;
	r = is_mapped(page, page_size);
	return r < 0 ? r : !r;
}

static int try_once(int fd)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, page_size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	int r;

	if (page == MAP_FAILED)
		return errno == ENODEV ? 1 : -errno; /* FOPEN_DIRECT_IO */
	r = open_drops(fd, page, page_size);
	munmap(page, page_size);
	return r;
}

int device_uncached(int fd)
{
	struct statfs fs;
	int r = 1;

	if (fstatfs(fd, &fs) < 0)
		return -errno;
	if (((unsigned long)fs.f_type & 0xffffffffu) != FUSE_SUPER_MAGIC)
		return 0;
	for (int i = 0; i < TRIES && (r > 0 || r == -ENODATA); i++)
		r = try_once(fd);
	return r;
}
