/* SPDX-License-Identifier: MIT */
/* Exchanges blocks of files by EXT4_IOC_MOVE_EXT. */
#include "place/exchange.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"

/* fs/ext4/ext4.h of the kernel, which no header for programs has. */
struct move_extent {
	uint32_t reserved; /* 0 */
	uint32_t donor_fd;
	uint64_t orig_start; /* blocks */
	uint64_t donor_start;
	uint64_t len;
	uint64_t moved_len; /* set by the kernel */
};

#define EXT4_IOC_MOVE_EXT _IOWR('f', 15, struct move_extent)

#define BUSY_TRIES  100   /* the kernel is writing one of the pages just now */
#define BUSY_US     10000 /* between them */
#define SLICE_PAGES 512u  /* exchanged at once */

/* Of the file system, what is left to others while the area exists. */
#define MARGIN_PART 64u
#define MARGIN_MAX  (64u << 20) /* bytes */

int place_donor(const char *folder, uint64_t bytes)
{
	_cleanup_close_ int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	if (bytes > INT64_MAX)
		return -EFBIG;
	if (fallocate(fd, 0, 0, (off_t)bytes) < 0)
		return -errno;
	return TAKE_FD(fd);
}

uint64_t place_free_bytes(const char *folder)
{
	struct statvfs info;
	uint64_t all, free, margin;

	if (statvfs(folder, &info) < 0)
		return UINT64_MAX; /* allocating says why */
	all = (uint64_t)info.f_blocks * info.f_frsize;
	free = (uint64_t)info.f_bavail * info.f_frsize;
	margin = all / MARGIN_PART < MARGIN_MAX ? all / MARGIN_PART : MARGIN_MAX;
	return free > margin ? free - margin : 0;
}

/* The file is open for writing no longer than this takes. *ret_moved says how far it came, also after a failure. */
static int exchange_slice(
	int fd, int donor, uint64_t page, uint64_t donor_page, uint64_t pages, uint64_t *ret_moved)
{
	_cleanup_close_ int writable = place_reopen(fd, O_RDWR);
	struct move_extent move = {
		.donor_fd = (uint32_t)donor,
		.orig_start = page,
		.donor_start = donor_page,
		.len = pages < SLICE_PAGES ? pages : SLICE_PAGES,
	};
	int r;

	if (writable < 0)
		return writable;
	r = ioctl(writable, EXT4_IOC_MOVE_EXT, &move) < 0 ? -errno : 0;
	if (move.moved_len > pages)
		return -EIO;
	*ret_moved = move.moved_len;
	return r;
}

/*
 * The kernel exchanges no page while another one of its folio is dirty, as each is that was exchanged before. If it has a journal
 * it writes them by itself, by a commit each time.
 */
static void write_back(int fd, uint64_t page, uint64_t pages)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE),
		 from = page > SLICE_PAGES ? page - SLICE_PAGES : 0;
	uint64_t to = page + (pages < SLICE_PAGES ? pages : SLICE_PAGES);

	(void)sync_file_range(fd, (off64_t)(from * page_size), (off64_t)((to - from) * page_size),
		SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
}

int place_exchange(int fd, int donor, uint64_t page, uint64_t donor_page, uint64_t pages, uint64_t *ret_done)
{
	unsigned tries = 0;

	*ret_done = 0;
	while (pages > 0) {
		uint64_t moved = 0;
		int r = exchange_slice(fd, donor, page, donor_page, pages, &moved);

		page += moved;
		donor_page += moved;
		pages -= moved;
		*ret_done += moved;
		if (moved > 0) {
			tries = 0;
			continue;
		}
		if (r == 0)
			return -EIO;
		if ((r != -EBUSY && r != -EAGAIN && r != -EINTR) || ++tries == BUSY_TRIES)
			return r;
		write_back(fd, page, pages);
		if (tries > 1)
			usleep(BUSY_US);
	}
	return 0;
}

int place_reopen(int fd, int flags)
{
	int now = fcntl(fd, F_GETFL);

	return open_descriptor_again(fd, flags | (now > 0 ? now & O_NOATIME : 0));
}
