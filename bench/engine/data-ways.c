/* SPDX-License-Identifier: MIT */
/* Ways to start the readahead of many ranges. Each then waits, with plain reads, until everything is there. */
#include <fcntl.h>
#include <liburing.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ways.h"

#define SCRATCH (1u << 20)

static char scratch[SCRATCH];

/* An address that is never mapped: a copy to it fails after the readahead has started. */
#define UNMAPPED ((char *)8)

/* A walk over the chunks of a plan. */
struct walk {
	const struct plan_view *plan;
	uint32_t extent;
	uint64_t done;
};

static bool walk_next(
	struct walk *walk, uint32_t chunk, uint32_t *ret_file, off_t *ret_offset, size_t *ret_length)
{
	const struct plan_extent *extent;
	uint64_t page = LE32(walk->plan->header->page_size), length;

	if (walk->extent == walk->plan->extent_count)
		return false;
	extent = &walk->plan->extents[walk->extent];
	length = LE32(extent->pages) * page - walk->done;
	*ret_file = LE32(extent->file);
	*ret_offset = (off_t)(LE32(extent->page) * page + walk->done);
	*ret_length = length < chunk ? length : chunk;
	walk->done += *ret_length;
	if (*ret_length == length) {
		walk->extent++;
		walk->done = 0;
	}
	return true;
}

static void read_everything(const struct plan_view *plan, const int *fds)
{
	struct walk walk = {.plan = plan};
	uint32_t file;
	off_t offset;
	size_t length;

	while (walk_next(&walk, SCRATCH, &file, &offset, &length))
		(void)!pread(fds[file], scratch, length, offset);
}

/* One system call a chunk: `start`. */
static int each_chunk(const struct plan_view *plan, const int *fds, uint32_t chunk,
	void (*start)(int fd, off_t offset, size_t length), struct way_result *ret)
{
	uint64_t from = now_us();
	struct walk walk = {.plan = plan};
	uint32_t file;
	off_t offset;
	size_t length;

	while (walk_next(&walk, chunk, &file, &offset, &length))
		start(fds[file], offset, length);
	ret->submit_us = now_us() - from;
	read_everything(plan, fds);
	return 0;
}

static void start_fadvise(int fd, off_t offset, size_t length)
{
	posix_fadvise(fd, offset, (off_t)length, POSIX_FADV_WILLNEED);
}

static void start_nowait(int fd, off_t offset, size_t length)
{
	struct iovec to = {.iov_base = UNMAPPED, .iov_len = length};

	(void)!preadv2(fd, &to, 1, offset, RWF_NOWAIT);
}

static void start_read(int fd, off_t offset, size_t length)
{
	(void)!pread(fd, scratch, length, offset);
}

static int data_fadvise(
	const struct plan_view *plan, int *fds, const struct way_options *options, struct way_result *ret)
{
	return each_chunk(plan, fds, options->chunk, start_fadvise, ret);
}

static int data_nowait(
	const struct plan_view *plan, int *fds, const struct way_options *options, struct way_result *ret)
{
	return each_chunk(plan, fds, options->chunk, start_nowait, ret);
}

static int data_read(
	const struct plan_view *plan, int *fds, const struct way_options *options, struct way_result *ret)
{
	return each_chunk(plan, fds, options->chunk, start_read, ret);
}

enum ring_request { RING_READ, RING_READ_UNMAPPED, RING_FADVISE };

static void prepare(struct io_uring_sqe *sqe, enum ring_request request, int fd, off_t offset, size_t length)
{
	switch (request) {
	case RING_READ:
		io_uring_prep_read(sqe, fd, scratch, (unsigned int)length, (uint64_t)offset);
		break;
	case RING_READ_UNMAPPED:
		io_uring_prep_read(sqe, fd, UNMAPPED, (unsigned int)length, (uint64_t)offset);
		break;
	case RING_FADVISE:
		io_uring_prep_fadvise(sqe, fd, (uint64_t)offset, (unsigned int)length, POSIX_FADV_WILLNEED);
		break;
	}
}

static int by_ring(const struct plan_view *plan, const int *fds, const struct way_options *options,
	enum ring_request request, struct way_result *ret)
{
	uint64_t from = now_us();
	struct walk walk = {.plan = plan};
	uint32_t file, under_way = 0;
	struct io_uring ring;
	bool more = true;
	off_t offset;
	size_t length;
	int r = io_uring_queue_init(options->depth, &ring, 0);

	if (r < 0)
		return r;
	while (more || under_way > 0) {
		struct io_uring_cqe *cqe;

		while (more && under_way < options->depth) {
			more = walk_next(&walk, options->chunk, &file, &offset, &length);
			if (!more)
				break;
			prepare(io_uring_get_sqe(&ring), request, fds[file], offset, length);
			under_way++;
		}
		io_uring_submit(&ring);
		if (!more && ret->submit_us == 0)
			ret->submit_us = now_us() - from;
		if (under_way > 0 && io_uring_wait_cqe(&ring, &cqe) < 0)
			break;
		while (io_uring_peek_cqe(&ring, &cqe) == 0) {
			io_uring_cqe_seen(&ring, cqe);
			under_way--;
		}
	}
	io_uring_queue_exit(&ring);
	read_everything(plan, fds);
	return 0;
}

static int data_uring_read(
	const struct plan_view *plan, int *fds, const struct way_options *options, struct way_result *ret)
{
	return by_ring(plan, fds, options, RING_READ, ret);
}

static int data_uring_unmapped(
	const struct plan_view *plan, int *fds, const struct way_options *options, struct way_result *ret)
{
	return by_ring(plan, fds, options, RING_READ_UNMAPPED, ret);
}

static int data_uring_fadvise(
	const struct plan_view *plan, int *fds, const struct way_options *options, struct way_result *ret)
{
	return by_ring(plan, fds, options, RING_FADVISE, ret);
}

const struct way data_ways[] = {
	{"read", data_read},
	{"fadvise", data_fadvise},
	{"nowait", data_nowait},
	{"uring-fadvise", data_uring_fadvise},
	{"uring-read", data_uring_read},
	{"uring-unmapped", data_uring_unmapped},
	{NULL, NULL},
};
