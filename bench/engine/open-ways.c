/* SPDX-License-Identifier: MIT */
/* Ways to open many cold files: one after the other, with threads, with a ring. */
#include <fcntl.h>
#include <liburing.h>
#include <pthread.h>
#include <stdatomic.h>

#include "ways.h"

static int open_serial(
	const struct plan_view *plan, int *fds, const struct way_options *options, struct way_result *ret)
{
	for (uint32_t i = 0; i < plan->file_count; i++)
		fds[i] = open(plan_file_path(plan, i), O_RDONLY | O_CLOEXEC);
	return 0;
}

#define THREADS_MAX 64

struct shared_list {
	const struct plan_view *plan;
	int *fds;
	atomic_uint next;
};

static void *open_next(void *argument)
{
	struct shared_list *list = argument;
	uint32_t i;

	while ((i = atomic_fetch_add(&list->next, 1)) < list->plan->file_count)
		list->fds[i] = open(plan_file_path(list->plan, i), O_RDONLY | O_CLOEXEC);
	return NULL;
}

static int open_threads(
	const struct plan_view *plan, int *fds, const struct way_options *options, struct way_result *ret)
{
	struct shared_list list = {.plan = plan, .fds = fds};
	pthread_t threads[THREADS_MAX];
	uint32_t started = 0;

	while (started < options->depth && started < THREADS_MAX &&
		pthread_create(&threads[started], NULL, open_next, &list) == 0)
		started++;
	open_next(&list);
	for (uint32_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int open_uring(
	const struct plan_view *plan, int *fds, const struct way_options *options, struct way_result *ret)
{
	unsigned int workers[2] = {options->depth, 0};
	uint32_t next = 0, done = 0;
	struct io_uring ring;
	int r = io_uring_queue_init(options->depth, &ring, 0);

	if (r < 0)
		return r;
	io_uring_register_iowq_max_workers(&ring, workers);
	while (done < plan->file_count) {
		struct io_uring_cqe *cqe;

		for (; next < plan->file_count && next - done < options->depth; next++) {
			struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

			io_uring_prep_openat(
				sqe, AT_FDCWD, plan_file_path(plan, next), O_RDONLY | O_CLOEXEC, 0);
			io_uring_sqe_set_data64(sqe, next);
		}
		io_uring_submit_and_wait(&ring, 1);
		while (io_uring_peek_cqe(&ring, &cqe) == 0) {
			fds[io_uring_cqe_get_data64(cqe)] = cqe->res;
			io_uring_cqe_seen(&ring, cqe);
			done++;
		}
	}
	io_uring_queue_exit(&ring);
	return 0;
}

const struct way open_ways[] = {
	{"serial", open_serial},
	{"threads", open_threads},
	{"uring", open_uring},
	{NULL, NULL},
};
