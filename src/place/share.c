/* SPDX-License-Identifier: MIT */
/* Copies into an area, and what ioctl_fideduperange(2) makes of them. */
#include "place/share.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"

#define CHUNK       (1u << 20)  /* bytes copied at once */
#define SHARE_BYTES (16u << 20) /* shared at once */

/* A part of the file, and where it lies in the area's donor; bytes. */
struct piece {
	uint64_t offset, donor, length;
};

typedef int piece_function(void *context, const struct piece *piece);

/* Calls it for each piece of the area that the file's runs take, from its beginning to its end. No piece goes beyond the end of the file. */
static int for_each_piece(const struct place_file *file, const struct place_area *area, uint32_t page_size,
	piece_function *call, void *context)
{
	uint64_t at = file->at;

	for (size_t i = 0; i < file->moved.n; i++) {
		uint64_t offset = (uint64_t)file->moved.items[i].page * page_size;
		uint64_t left = (uint64_t)file->moved.items[i].pages * page_size;

		while (left > 0) {
			size_t j = device_extent_after(area->items, area->n, at);
			uint64_t in, length, end;
			int r;

			if (j == area->n || area->items[j].offset > at)
				return -ENOSPC;
			in = at - area->items[j].offset;
			length = area->items[j].length - in < left ? area->items[j].length - in : left;
			end = offset + length < file->size ? offset + length : file->size;
			r = end <= offset
				? -ESTALE
				: call(context, &(struct piece){offset, area->donors[j] + in, end - offset});
			if (r < 0)
				return r;
			at += length;
			offset += length;
			left -= length;
		}
	}
	return 0;
}

struct copy {
	int fd, donor;
	bool is_unreadable; /* a failure is the file's, not the area's */
	uint8_t *buffer;    /* of CHUNK bytes */
};

static int copy_piece(void *context, const struct piece *piece)
{
	struct copy *copy = context;

	for (uint64_t done = 0; done < piece->length;) {
		uint64_t left = piece->length - done;
		size_t size = left < CHUNK ? (size_t)left : CHUNK;
		ssize_t n = pread_full(copy->fd, copy->buffer, size, (off_t)(piece->offset + done));
		int r;

		copy->is_unreadable = n < 0;
		if (n < 0)
			return (int)n;
		if ((size_t)n < size)
			return -ESTALE; /* it has been cut */
		if (lseek(copy->donor, (off_t)(piece->donor + done), SEEK_SET) < 0)
			return -errno;
		r = write_full(copy->donor, copy->buffer, size);
		if (r < 0)
			return r;
		done += size;
	}
	return 0;
}

int place_copy(struct place_file *file, int fd, const struct place_area *area, uint32_t page_size)
{
	_cleanup_free_ uint8_t *buffer = malloc(CHUNK);
	struct copy copy = {.fd = fd, .donor = area->donor, .buffer = buffer};

	int r = buffer ? for_each_piece(file, area, page_size, copy_piece, &copy) : -ENOMEM;

	if (r == -ESTALE)
		place_set(file, PLACE_REFUSED, "has changed meanwhile");
	else if (r < 0 && copy.is_unreadable)
		place_set(file, PLACE_FAILED, "cannot be read: %s", strerror(-r));
	return file->status == PLACE_OPEN ? r : 0;
}

int place_settle(const struct place_area *area)
{
	if (fsync(area->donor) < 0)
		return -errno;
	return -posix_fadvise(area->donor, 0, 0, POSIX_FADV_DONTNEED);
}

struct share {
	int fd, donor;
	uint32_t page_size;
	uint64_t size;  /* of the file */
	uint64_t *done; /* pages */
};

/* One call of the kernel, which shares fewer bytes if the last page is not the end of both files. *ret_bytes is how many. */
static int share_some(const struct share *share, const struct piece *piece, uint64_t *ret_bytes)
{
	_cleanup_free_ struct file_dedupe_range *range = calloc(1, sizeof(*range) + sizeof(range->info[0]));

	if (!range)
		return -ENOMEM;
	range->src_offset = piece->donor;
	range->src_length = piece->length < SHARE_BYTES ? piece->length : SHARE_BYTES;
	range->dest_count = 1;
	range->info[0].dest_fd = share->fd;
	range->info[0].dest_offset = piece->offset;
	if (ioctl(share->donor, FIDEDUPERANGE, range) < 0)
		return -errno;
	if (range->info[0].status < 0)
		return range->info[0].status;
	if (range->info[0].status == FILE_DEDUPE_RANGE_DIFFERS ||
		range->info[0].bytes_deduped > range->src_length)
		return -ESTALE;
	*ret_bytes = range->info[0].bytes_deduped;
	return 0;
}

/* The end of the area is put where the last page of the file ends. */
static int cut_behind(const struct share *share, const struct piece *piece)
{
	bool is_last = piece->offset + piece->length == share->size && share->size % share->page_size;

	return is_last && ftruncate(share->donor, (off_t)(piece->donor + piece->length)) < 0 ? -errno : 0;
}

static int share_piece(void *context, const struct piece *piece)
{
	struct share *share = context;
	struct piece left = *piece;
	int r = cut_behind(share, piece);

	while (r == 0 && left.length > 0) {
		uint64_t bytes = 0;

		r = share_some(share, &left, &bytes);
		if (r == 0 && bytes == 0)
			return -EINVAL;
		left.offset += bytes;
		left.donor += bytes;
		left.length -= bytes;
		*share->done += (bytes + share->page_size - 1) / share->page_size;
	}
	return r;
}

int place_share(const struct place_file *file, int fd, const struct place_area *area, uint32_t page_size,
	uint64_t *ret_done)
{
	struct share share = {
		.fd = fd, .donor = area->donor, .page_size = page_size, .size = file->size, .done = ret_done};

	*ret_done = 0;
	return for_each_piece(file, area, page_size, share_piece, &share);
}
