/* SPDX-License-Identifier: MIT */
/* The engines without a ring: one system call for each chunk. Each file goes down the list of engines by itself. */
#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "prefetch/plan-job.h"

static void read_chunk(struct plan_job *job, const struct plan_job_read *read)
{
	uint32_t done = 0;

	while (done < read->length) {
		ssize_t n = pread(read->fd, job->scratch, read->length - done, (off_t)(read->offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		done += (uint32_t)n;
	}
}

/*
 * Whether all of the chunk is resident. If it is not, kernels that start readahead on a miss have started it for part
 * of the chunk (Linux 6.18 does; 5.9 to at least 6.11 do not, because RWF_NOWAIT meant IOCB_NOIO). Returns 1, 0, or
 * negative errno.
 */
static int chunk_resident(struct plan_job *job, const struct plan_job_read *read)
{
	struct iovec to = {.iov_base = job->scratch, .iov_len = read->length};
	ssize_t n = preadv2(read->fd, &to, 1, (off_t)read->offset, RWF_NOWAIT);

	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	return (size_t)n == read->length;
}

/* Starts one read with the first engine that accepts it. */
static void start_chunk(struct plan_job *job, const struct plan_job_read *read)
{
	enum prefetch_engine *engine = &job->files[read->file].engine;

	if (*engine == PREFETCH_NOWAIT) {
		int resident = chunk_resident(job, read);

		if (resident > 0)
			return;
		if (resident < 0)
			*engine = PREFETCH_FADVISE;
	}
	if (*engine != PREFETCH_READ &&
		posix_fadvise(read->fd, (off_t)read->offset, read->length, POSIX_FADV_WILLNEED) != 0)
		*engine = PREFETCH_READ;
	if (*engine == PREFETCH_READ)
		read_chunk(job, read);
}

/* Opens the next file of the schedule. Returns false if there is none, or no time. */
static bool open_next(struct plan_job *job)
{
	if (job->tried >= job->plan->file_count || plan_job_late(job))
		return false;
	plan_job_open(job, job->schedule.files[job->tried]);
	return true;
}

static struct plan_job_cursor start_all(struct plan_job *job, enum prefetch_engine engine)
{
	struct plan_job_cursor cursor = {0};
	struct plan_job_read read;
	enum plan_job_step step;

	for (uint32_t i = 0; i < job->plan->file_count; i++)
		job->files[i].engine = engine;
	do {
		while (!plan_job_may_read(job, &cursor) && open_next(job))
			;
		step = plan_job_next_read(job, &cursor, &read);
		if (!job->options->wait) /* another pass would open them again */
			plan_job_close_finished(job);
		if (step == PLAN_JOB_READ)
			start_chunk(job, &read);
		else if (step == PLAN_JOB_BLOCKED)
			open_next(job);
	} while (step != PLAN_JOB_DONE);
	while (open_next(job))
		;
	return cursor;
}

int readahead_run(struct plan_job *job, enum prefetch_engine engine)
{
	struct plan_job_cursor cursor = start_all(job, engine), again = {0};
	struct plan_job_read read;

	job->result.bytes_asked = cursor.asked;
	job->result.bytes_skipped_budget = cursor.skipped;
	if (!job->options->wait)
		return 0;
	while (plan_job_next_read(job, &again, &read) == PLAN_JOB_READ)
		read_chunk(job, &read);
	return 0;
}
