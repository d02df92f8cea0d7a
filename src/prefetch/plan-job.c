/* SPDX-License-Identifier: MIT */
/* The files of a plan that is being carried out, and its next read. */
#include "prefetch/plan-job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/times.h"
#include "prefetch/limits/budget.h"
#include "prefetch/outdated.h"
#include "prefetch/planned-file.h"

#define CHUNK_MIN   (64u << 10)
#define LEVEL_SPARE 4u /* descriptors that a level of folders leaves free */

bool plan_job_late(const struct plan_job *job)
{
	return job->deadline_us != 0 && monotonic_us() >= job->deadline_us;
}

/* How many of `limit` descriptors are free for the files of the plan. */
static uint32_t free_fds(uint32_t limit)
{
	uint32_t taken = 0;

	for (uint32_t fd = 0; fd < limit; fd++)
		taken += fcntl((int)fd, F_GETFD) >= 0;
	return limit - taken;
}

/* Decides how many files may be open at once, beside the ring's own descriptor and pending opens. */
static void plan_descriptors(struct plan_job *job)
{
	const uint32_t reserve = 4, many = 65536;
	struct rlimit limit = {.rlim_cur = 1024};
	uint32_t fds;

	getrlimit(RLIMIT_NOFILE, &limit);
	fds = limit.rlim_cur < many ? (uint32_t)limit.rlim_cur : many;
	if (fds < job->plan->file_count + job->tuning.open_depth + 1024)
		fds = free_fds(fds);
	fds = fds > reserve + 2 ? fds - reserve : 2;
	if (job->tuning.open_depth > fds / 2)
		job->tuning.open_depth = fds / 2;
	job->open_fds_max = fds - job->tuning.open_depth;
}

int plan_job_init(struct plan_job *job, const struct plan_view *plan, const struct prefetch_options *options,
	const struct prefetch_tuning *tuning)
{
	uint64_t window = (uint64_t)LE32(plan->header->window_pages) * LE32(plan->header->page_size);
	void *scratch;

	*job = (struct plan_job){
		.plan = plan, .options = options, .tuning = *tuning, .start_us = monotonic_us()};
	if (window < job->tuning.chunk)
		job->tuning.chunk = window > CHUNK_MIN ? (uint32_t)window : CHUNK_MIN;
	if (options->time_budget_ms)
		job->deadline_us = job->start_us + (uint64_t)options->time_budget_ms * 1000;
	scratch = mmap(NULL, job->tuning.chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (scratch == MAP_FAILED)
		return -ENOMEM;
	job->scratch = scratch;
	job->reads_before = disk_reads_so_far();
	job->files = calloc(plan->file_count + 1, sizeof(*job->files));
	job->finished = calloc(plan->file_count + 1, sizeof(*job->finished));
	if (!job->files || !job->finished)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->extent_count; i++)
		job->files[LE32(plan->extents[i].file)].extents++;
	plan_descriptors(job);
	return schedule_init(&job->schedule, plan, options->alongside && tuning->opens_first);
}

void plan_job_release(struct plan_job *job)
{
	for (uint32_t i = 0; job->files && i < job->plan->file_count; i++)
		if (job->files[i].state == PLAN_JOB_FILE_OPEN)
			close(job->files[i].fd);
	free(job->files);
	free(job->finished);
	folder_level_release(&job->level);
	schedule_release(&job->schedule);
	if (job->scratch)
		munmap(job->scratch, job->tuning.chunk);
}

bool plan_job_may_read(const struct plan_job *job, const struct plan_job_cursor *cursor)
{
	bool lead = cursor->extent < job->schedule.lead_extents;

	return !job->tuning.opens_first || plan_job_late(job) ||
		job->tried >= (lead ? job->schedule.lead_files : job->plan->file_count);
}

bool plan_job_short_of_fds(const struct plan_job *job)
{
	return job->open_fds >= job->open_fds_max;
}

/* Returns whether it was open. */
static bool close_file(struct plan_job *job, uint32_t index)
{
	struct plan_job_file *file = &job->files[index];

	if (file->state != PLAN_JOB_FILE_OPEN)
		return false;
	close(file->fd);
	file->state = PLAN_JOB_FILE_CLOSED;
	job->open_fds--;
	return true;
}

/* Closes the descriptor of some open file, round robin. */
static void close_one(struct plan_job *job)
{
	for (uint32_t i = 0; i < job->plan->file_count; i++)
		if (close_file(job, job->close_next++ % job->plan->file_count))
			return;
}

void plan_job_close_finished(struct plan_job *job)
{
	while (job->n_finished > 0)
		close_file(job, job->finished[--job->n_finished]);
}

static void hold(struct plan_job *job, struct plan_job_file *file, int fd)
{
	if (plan_job_short_of_fds(job))
		close_one(job);
	/* With this a read brings in only the bytes that it asks for. */
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	file->fd = fd;
	file->state = PLAN_JOB_FILE_OPEN;
	job->open_fds++;
}

void plan_job_count_failure(struct prefetch_result *result, int error)
{
	if (error == -ESTALE || error == -ELOOP || error == -EISDIR || error == -EINVAL)
		result->stale++; /* or a file of another kind took its place */
	else if (error == -ENOENT || error == -ENOTDIR)
		result->missing++;
	else
		result->refused++;
}

static void count_failure(struct plan_job *job, uint32_t index, int error)
{
	struct prefetch_result *result = &job->result;
	uint32_t before = result->stale + result->missing;

	plan_job_count_failure(result, error);
	if (result->stale + result->missing > before &&
		outdates_plan(plan_file_path(job->plan, index), job->options->plan_owner))
		result->outdated++;
}

/* Keeps the folder open until its level is read, if that leaves descriptors for the files. */
static bool add_to_level(struct plan_job *job, uint32_t index, int fd)
{
	return job->tuning.open_depth == 1 && folder_level_has(job->plan, index) &&
		job->open_fds + job->level.n + LEVEL_SPARE < job->open_fds_max &&
		folder_level_add(&job->level, job->plan, index, fd);
}

static void take_opened(struct plan_job *job, uint32_t index, int fd_or_error)
{
	const struct plan_file *planned = &job->plan->files[index];
	struct plan_job_file *file = &job->files[index];
	_cleanup_close_ int fd = fd_or_error;
	int r = fd_or_error;

	if (r >= 0)
		r = planned_file_check(planned, fd, &file->size);
	file->state = PLAN_JOB_FILE_DROPPED;
	if (r < 0 && r != -ENODATA) {
		count_failure(job, index, r);
		return;
	}
	job->result.opened++;
	if (add_to_level(job, index, fd)) {
		TAKE_FD(fd);
		return;
	}
	planned_file_load_names(planned, fd);
	if (r == -ENODATA || LE32(planned->kind) != PLAN_REGULAR || file->extents == 0)
		return;
	hold(job, file, TAKE_FD(fd));
}

void plan_job_opened(struct plan_job *job, uint32_t index, int fd_or_error)
{
	take_opened(job, index, fd_or_error);
	job->tried++;
	if (job->tried < job->plan->file_count)
		return;
	folder_level_read(&job->level, job->plan);
	job->result.opened_us = monotonic_us() - job->start_us;
	if (job->tuning.opens_first && job->schedule.lead_files == 0) /* no data has been asked for yet */
		job->reads_before = disk_reads_so_far();
}

void plan_job_open(struct plan_job *job, uint32_t file)
{
	if (folder_level_ends_before(&job->level, job->plan, file))
		folder_level_read(&job->level, job->plan);
	plan_job_opened(job, file,
		open_typed(plan_file_path(job->plan, file), plan_file_type(&job->plan->files[file]),
			OPEN_NO_LINKS));
}

/* Whether a file that is neither untried nor dropped has a descriptor. Opens the file again if it was closed. */
static bool file_ready(struct plan_job *job, struct plan_job_file *file, uint32_t index)
{
	int fd;

	if (file->state == PLAN_JOB_FILE_OPEN)
		return true;
	fd = planned_file_open(job->plan, index, &file->size);
	if (fd < 0) {
		file->state = PLAN_JOB_FILE_DROPPED;
		return false;
	}
	hold(job, file, fd);
	return true;
}

static void find_budget(struct plan_job *job)
{
	if (job->budget_known)
		return;
	job->budget = job->options->memory_budget ? job->options->memory_budget : memory_budget("");
	if (job->options->memory_limit && job->options->memory_limit < job->budget)
		job->budget = job->options->memory_limit;
	job->budget_known = true;
}

bool plan_job_reserve(struct plan_job *job, uint64_t bytes)
{
	find_budget(job);
	if (bytes > job->budget)
		return false;
	job->budget -= bytes;
	return true;
}

static bool fits_budget(struct plan_job *job, const struct plan_job_cursor *cursor, uint64_t length)
{
	find_budget(job);
	return cursor->asked <= job->budget && length <= job->budget - cursor->asked;
}

static const struct plan_extent *extent_at(const struct plan_job *job, const struct plan_job_cursor *cursor)
{
	return &job->plan->extents[job->schedule.extents[cursor->extent]];
}

/* The rest of the extent at the cursor; *ret_offset is where the rest begins in the file. */
static uint64_t extent_left(
	const struct plan_job *job, const struct plan_job_cursor *cursor, uint64_t *ret_offset)
{
	const struct plan_extent *extent = extent_at(job, cursor);
	uint64_t offset = 0, length;

	length = planned_extent_range(job->plan, extent, job->files[LE32(extent->file)].size, &offset);
	*ret_offset = offset + cursor->done;
	return length - cursor->done;
}

static void leave_extent(struct plan_job *job, struct plan_job_cursor *cursor)
{
	uint32_t index = LE32(extent_at(job, cursor)->file);

	if (job->files[index].extents > 0 && --job->files[index].extents == 0)
		job->finished[job->n_finished++] = index;
	cursor->extent++;
	cursor->done = 0;
}

enum plan_job_step plan_job_next_read(
	struct plan_job *job, struct plan_job_cursor *cursor, struct plan_job_read *ret)
{
	for (; cursor->extent < job->plan->extent_count; leave_extent(job, cursor)) {
		const struct plan_extent *extent = extent_at(job, cursor);
		struct plan_job_file *file = &job->files[LE32(extent->file)];
		uint64_t left, length;

		ret->file = LE32(extent->file);
		if (file->state == PLAN_JOB_FILE_UNTRIED && !plan_job_late(job))
			return PLAN_JOB_BLOCKED;
		if (file->state == PLAN_JOB_FILE_UNTRIED)
			file->size = LE64(job->plan->files[ret->file]
						  .size); /* too late: it will not be opened any more */
		if (file->state == PLAN_JOB_FILE_DROPPED)
			continue;
		left = extent_left(job, cursor, &ret->offset);
		length = left < job->tuning.chunk ? left : job->tuning.chunk;
		if (plan_job_late(job) || !fits_budget(job, cursor, length)) {
			cursor->skipped += left;
			continue;
		}
		if (length == 0 || !file_ready(job, file, ret->file))
			continue;
		ret->fd = file->fd;
		ret->length = (uint32_t)length;
		cursor->done += length;
		cursor->asked += length;
		return PLAN_JOB_READ;
	}
	return PLAN_JOB_DONE;
}
