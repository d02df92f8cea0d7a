/* SPDX-License-Identifier: MIT */
/*
 * The preferred engine: opens and reads through one io_uring.
 *
 * The kernel hands an OPENAT2 that misses the dentry cache to a worker thread, so it reads as many directories and
 * inodes at once as there are workers. The OPENAT2 is O_PATH (base/files/open.h); what it finds is then in memory, and is
 * opened for reading without the ring. A READ of a cold page starts its readahead during submission, without a worker,
 * and completes when the data has arrived.
 *
 * The ring lives in a process of its own, because closing it, or exec, cancels what its workers have not begun.
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <sys/stat.h>

#include "base/files/open.h"
#include "base/times.h"
#include "prefetch/limits/process-room.h"
#include "prefetch/plan-job.h"

#define READ_TAG UINT64_MAX /* user_data of a read; an open's is the index of its file */

struct ring {
	struct plan_job *job;
	struct io_uring uring;
	struct plan_job_cursor cursor;
	struct open_how open_regular, open_folder, open_link; /* the kernel reads them at submission */
	uint32_t next_open;                                   /* position in the schedule */
	uint32_t opens, reads;                                /* under way */
	bool reads_done;
};

/* A free entry of the submission queue. Hands a full queue to the kernel first. */
static struct io_uring_sqe *ring_sqe(struct ring *ring)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);

	if (!sqe) {
		io_uring_submit(&ring->uring);
		sqe = io_uring_get_sqe(&ring->uring);
	}
	return sqe;
}

static struct open_how *ring_how(struct ring *ring, uint32_t file)
{
	switch (plan_file_type(&ring->job->plan->files[file])) {
	case S_IFDIR:
		return &ring->open_folder;
	case S_IFLNK:
		return &ring->open_link;
	default:
		return &ring->open_regular;
	}
}

/*
 * Opens all files of a snapshot, one after the other. The ring would hand each of thousands to a worker and back, because no
 * name is in memory, and that takes longer than opening it.
 */
static void open_all(struct ring *ring)
{
	struct plan_job *job = ring->job;

	for (; ring->next_open < job->plan->file_count && !plan_job_late(job); ring->next_open++)
		plan_job_open(job, job->schedule.files[ring->next_open]);
}

static void queue_opens(struct ring *ring)
{
	struct plan_job *job = ring->job;

	if (job->tuning.open_depth == 1 && plan_is_snapshot(job->plan))
		open_all(ring);
	while (ring->next_open < job->plan->file_count && ring->opens < job->tuning.open_depth &&
		!plan_job_late(job)) {
		struct io_uring_sqe *sqe = ring_sqe(ring);
		uint32_t file = job->schedule.files[ring->next_open];

		if (!sqe)
			return;
		io_uring_prep_openat2(sqe, AT_FDCWD, plan_file_path(job->plan, file), ring_how(ring, file));
		io_uring_sqe_set_data64(sqe, file);
		ring->next_open++;
		ring->opens++;
	}
}

static void queue_reads(struct ring *ring)
{
	struct plan_job *job = ring->job;
	struct plan_job_read read;

	while (!ring->reads_done && ring->reads < job->tuning.read_depth &&
		plan_job_may_read(job, &ring->cursor)) {
		struct io_uring_sqe *sqe;
		enum plan_job_step step;

		if (io_uring_sq_space_left(&ring->uring) == 0 || plan_job_short_of_fds(job))
			io_uring_submit(&ring->uring);
		step = plan_job_next_read(job, &ring->cursor, &read);
		if (step == PLAN_JOB_BLOCKED)
			return;
		sqe = step == PLAN_JOB_READ ? io_uring_get_sqe(&ring->uring) : NULL;
		if (!sqe) {
			ring->reads_done = true;
			return;
		}
		io_uring_prep_read(sqe, read.fd, job->scratch, read.length, read.offset);
		io_uring_sqe_set_data64(sqe, READ_TAG);
		ring->reads++;
	}
}

static void complete(struct ring *ring, const struct io_uring_cqe *cqe)
{
	uint64_t tag = io_uring_cqe_get_data64(cqe);

	if (tag == READ_TAG) {
		ring->reads--;
		return;
	}
	ring->opens--;
	plan_job_opened(ring->job, (uint32_t)tag,
		cqe->res < 0
			? cqe->res
			: open_finish(cqe->res, plan_file_type(&ring->job->plan->files[tag]), OPEN_NO_LINKS));
}

/* Waits for one completion, at most until the time budget ends. */
static int wait_for_one(struct ring *ring)
{
	struct __kernel_timespec left = {0};
	struct io_uring_cqe *cqe;
	uint64_t now;

	if (!ring->job->deadline_us)
		return io_uring_wait_cqe(&ring->uring, &cqe);
	now = monotonic_us();
	if (now < ring->job->deadline_us) {
		left.tv_sec = (long long)((ring->job->deadline_us - now) / 1000000);
		left.tv_nsec = (long long)((ring->job->deadline_us - now) % 1000000) * 1000;
	}
	return io_uring_wait_cqe_timeout(&ring->uring, &cqe, &left);
}

static void complete_all(struct ring *ring)
{
	struct io_uring_cqe *cqe;

	while (io_uring_peek_cqe(&ring->uring, &cqe) == 0) {
		complete(ring, cqe);
		io_uring_cqe_seen(&ring->uring, cqe);
	}
}

/* Returns 0, or the ring's error: -ETIME at the end of the time budget. */
static int carry_out(struct ring *ring)
{
	int r;

	do {
		queue_opens(ring);
		queue_reads(ring);
		r = io_uring_submit(&ring->uring);
		if (io_uring_sq_ready(&ring->uring) == 0)
			plan_job_close_finished(ring->job);
		if (ring->opens == 0 && ring->reads == 0)
			return 0;
		if (r >= 0)
			r = wait_for_one(ring);
		complete_all(ring);
	} while (r >= 0 || r == -EINTR || r == -EAGAIN || r == -EBUSY);
	return r;
}

/* Before Linux 5.6 a ring has neither OPENAT2 nor READ, nor a probe for what it has. */
static bool knows_operations(struct io_uring *uring)
{
	struct io_uring_probe *probe = io_uring_get_probe_ring(uring);
	bool known = probe && io_uring_opcode_supported(probe, IORING_OP_OPENAT2) &&
		io_uring_opcode_supported(probe, IORING_OP_READ);

	io_uring_free_probe(probe);
	return known;
}

/*
 * The kernel's workers of a ring count as tasks of this process. By default there are four for each CPU. But opens wait
 * for the disk, not for a CPU, so this allows one for each pending open; but never more than a quarter of the tasks
 * that may still be started.
 */
static unsigned int workers_max(const struct plan_job *job)
{
	uint64_t room = process_room("") / 4;

	if (room > job->tuning.open_depth)
		return job->tuning.open_depth;
	return room > 0 ? (unsigned int)room : 1;
}

int uring_run(struct plan_job *job)
{
	unsigned int workers[2] = {workers_max(job), 0};
	struct ring ring = {
		.job = job,
		.open_regular = open_begin(S_IFREG, OPEN_NO_LINKS),
		.open_folder = open_begin(S_IFDIR, OPEN_NO_LINKS),
		.open_link = open_begin(S_IFLNK, OPEN_NO_LINKS),
	};
	int r;

	r = io_uring_queue_init(job->tuning.open_depth + job->tuning.read_depth, &ring.uring, 0);
	if (r < 0)
		return r;
	if (!knows_operations(&ring.uring)) {
		io_uring_queue_exit(&ring.uring);
		return -ENOSYS;
	}
	/* Fails before Linux 5.15; the kernel then chooses the number itself. */
	(void)io_uring_register_iowq_max_workers(&ring.uring, workers);
	r = carry_out(&ring);
	io_uring_queue_exit(&ring.uring);
	if (r < 0 && r != -ETIME && job->tried == 0)
		return r;
	job->result.bytes_asked = ring.cursor.asked;
	job->result.bytes_skipped_budget = ring.cursor.skipped;
	if (ring.reads > 0)
		job->scratch = NULL; /* a worker may still write to it; it is freed with the process */
	return 0;
}
