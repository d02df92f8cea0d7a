/* SPDX-License-Identifier: MIT */
/* Moves runs of pages of one file. */
#include "place/move.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/times.h"
#include "place/exchange.h"
#include "place/share.h"

#define CHUNK (1u << 20) /* bytes read at once */
#define ALIGN 4096u      /* of memory for reads without the page cache */

/*
 * Fills the buffer from `at` on, or up to the end of the file. Without the page cache a read must begin at a multiple of a
 * block, so that none follows the one that has met the end. Returns bytes or negative errno.
 */
static ssize_t fill(int fd, uint8_t *buffer, off_t at)
{
	size_t size = 0;

	while (size < CHUNK) {
		ssize_t n = pread(fd, buffer + size, CHUNK - size, at + (off_t)size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		size += (size_t)n;
		if (n == 0 || size % ALIGN != 0)
			break;
	}
	return (ssize_t)size;
}

static int sum_by(int fd, uint8_t *buffer, uint64_t *ret)
{
	uint64_t state[2] = {0, 0};
	off_t at = 0;
	ssize_t n;

	while ((n = fill(fd, buffer, at)) > 0) {
		state[1] = checksum64(buffer, (size_t)n);
		state[0] = checksum64(state, sizeof(state));
		at += n;
		if (n < (ssize_t)CHUNK)
			break;
	}
	if (n < 0)
		return (int)n;
	*ret = state[0];
	return 0;
}

/*
 * XXH3 of all bytes of the open file, in parts. They come from the disk, without the page cache, where the file system can
 * read so; what was written is on the disk then. If that fails, the page cache keeps what it has. Returns 0 or negative errno.
 */
static int sum(int fd, uint64_t *ret)
{
	_cleanup_close_ int direct = -1;
	_cleanup_free_ void *buffer = NULL;
	int r;

	if (fsync(fd) < 0)
		return -errno;
	if (posix_memalign(&buffer, ALIGN, CHUNK) != 0)
		return -ENOMEM;
	direct = place_reopen(fd, O_RDONLY | O_DIRECT);
	r = direct < 0 ? -EINVAL : sum_by(direct, buffer, ret);
	if (r != -EINVAL)
		return r;
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return sum_by(fd, buffer, ret);
}

bool place_is_same(const struct place_file *file, int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_ino == file->inode && (uint64_t)st.st_size == file->size &&
		nanoseconds(st.st_mtim) == file->mtime && nanoseconds(st.st_ctim) == file->ctime;
}

/* Into memory, so that the file need not be open for writing while the disk works. */
static int read_runs(const struct place_file *file, int fd, uint32_t page_size)
{
	_cleanup_free_ uint8_t *buffer = malloc(CHUNK);

	if (!buffer)
		return -ENOMEM;
	/* In folios of a page each, where the kernel can: place_exchange() need not wait for pages of the same folio. */
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	for (size_t i = 0; i < file->moved.n; i++) {
		uint64_t offset = (uint64_t)file->moved.items[i].page * page_size;
		uint64_t end = offset + (uint64_t)file->moved.items[i].pages * page_size;

		for (; offset < end; offset += CHUNK) {
			uint64_t left = end - offset;
			ssize_t n = pread_full(fd, buffer, left < CHUNK ? left : CHUNK, (off_t)offset);

			if (n < 0)
				return (int)n;
		}
	}
	return 0;
}

/* Exchanges one run with what lies at `at` in the area, piece by piece of that. Counts the pages in *done, also if it fails. */
static int exchange_run(const struct place_run *run, int fd, const struct place_area *area, uint64_t at,
	uint32_t page_size, uint64_t *done)
{
	uint64_t page = run->page, pages = run->pages;

	while (pages > 0) {
		size_t i = device_extent_after(area->items, area->n, at);
		uint64_t in, part, exchanged = 0;
		int r;

		if (i == area->n || area->items[i].offset > at)
			return -ENOSPC;
		in = at - area->items[i].offset;
		part = (area->items[i].length - in) / page_size;
		part = part < pages ? part : pages;
		r = part > 0 ? place_exchange(fd, area->donor, page, (area->donors[i] + in) / page_size, part,
				       &exchanged)
			     : -ENOSPC;
		*done += exchanged;
		if (r < 0)
			return r;
		page += part;
		pages -= part;
		at += part * page_size;
	}
	return 0;
}

/* Exchanges the first `pages` of the runs, or all. *done is how many of them were, also if it fails. */
static int exchange_runs(const struct place_file *file, int fd, const struct place_area *area,
	uint32_t page_size, uint64_t pages, uint64_t *done)
{
	uint64_t at = file->at;

	*done = 0;
	for (size_t i = 0; i < file->moved.n && *done < pages; i++) {
		struct place_run run = file->moved.items[i];
		int r;

		if (run.pages > pages - *done)
			run.pages = (uint32_t)(pages - *done);
		r = exchange_run(&run, fd, area, at, page_size, done);
		if (r < 0)
			return r;
		at += (uint64_t)run.pages * page_size;
	}
	return 0;
}

/*
 * After a failure to write what was moved, or to read it again: as long as it is in memory, and the donor has the blocks in which it lay, the same
 * exchange once more writes it there. Returns -EIO if the file is as it was, or -EBADMSG.
 */
static int exchange_again(struct place_file *file, int fd, const struct place_area *area, uint32_t page_size,
	uint64_t pages, uint64_t before, int error)
{
	uint64_t done, after;
	int r = exchange_runs(file, fd, area, page_size, pages, &done);

	if (r == 0)
		r = sum(fd, &after);
	if (r == 0 && after != before && place_is_same(file, fd))
		r = -EIO;
	if (r < 0) {
		place_set(file, PLACE_FAILED,
			"could not be written to its new place (%s), nor to its old one again (%s)",
			strerror(-error), strerror(-r));
		return -EBADMSG;
	}
	place_set(file, PLACE_FAILED, "could not be written to its new place, and lies where it was: %s",
		strerror(-error));
	return -EIO;
}

static int failed(struct place_file *file, int error, const char *what)
{
	if (error == -ENOMEM)
		return error;
	if (error == -ETXTBSY)
		place_set(file, PLACE_REFUSED, "is a running program: try again when it has ended");
	else
		place_set(file, PLACE_FAILED, "%s: %s", what, strerror(-error));
	return 0;
}

/* What became of it, by its bytes before and after that. */
static int judge(struct place_file *file, int fd, uint64_t before, uint64_t after, int moved)
{
	if (moved == -ESTALE || !place_is_same(file, fd)) {
		place_set(file, PLACE_REFUSED, "was changed by another process while it was moved");
		return 0;
	}
	if (before != after) {
		place_set(file, PLACE_FAILED, "has other bytes than before it was moved");
		return -EBADMSG;
	}
	if (moved < 0)
		return failed(file, moved, "was not moved, or only in part");
	file->status = PLACE_MOVED;
	return 0;
}

static int move_by_exchange(
	struct place_file *file, int fd, const struct place_area *area, uint32_t page_size, uint64_t before)
{
	uint64_t after, done;
	int r = read_runs(file, fd, page_size), moved;

	if (r < 0)
		return failed(file, r, "cannot be read");
	moved = exchange_runs(file, fd, area, page_size, UINT64_MAX, &done);
	r = sum(fd, &after);
	if (r == -ENOMEM)
		return r;
	/* The disk says that it has taken them, and gives back others. */
	if (r == 0 && before != after && done > 0 && moved != -ESTALE && place_is_same(file, fd))
		r = -EIO;
	return r < 0 ? exchange_again(file, fd, area, page_size, done, before, r)
		     : judge(file, fd, before, after, moved);
}

/* What a file shares has the same bytes: the kernel has compared what the disk gives back of the copy. */
static int move_by_sharing(
	struct place_file *file, int fd, const struct place_area *area, uint32_t page_size, uint64_t before)
{
	uint64_t after, done;
	int moved = place_share(file, fd, area, page_size, &done);
	int r = sum(fd, &after);

	if (r < 0 && r != -ENOMEM && done > 0) {
		place_set(file, PLACE_FAILED, "cannot be read at its new place: %s", strerror(-r));
		return -EBADMSG;
	}
	if (r < 0)
		return failed(file, r, "cannot be read");
	if (moved == -ESTALE && before == after && place_is_same(file, fd)) {
		place_set(file, PLACE_FAILED,
			"lies where it was: the disk gives back other bytes than were written to its new place");
		return -EIO;
	}
	return judge(file, fd, before, after, moved);
}

int place_move(struct place_file *file, int fd, enum place_way way, const struct place_area *area,
	uint32_t page_size)
{
	uint64_t before;
	int r;

	if (!place_is_same(file, fd)) {
		place_set(file, PLACE_REFUSED, "has changed meanwhile");
		return 0;
	}
	r = sum(fd, &before);
	if (r < 0)
		return failed(file, r, "cannot be read");
	return way == PLACE_EXCHANGE ? move_by_exchange(file, fd, area, page_size, before)
				     : move_by_sharing(file, fd, area, page_size, before);
}
