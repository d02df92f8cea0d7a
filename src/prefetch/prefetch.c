/* SPDX-License-Identifier: MIT */
/* Carries out a plan with the best engine that works here. */
#include "prefetch/prefetch.h"

#include <linux/ioprio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/times.h"
#include "prefetch/plan-job.h"
#include "prefetch/residency.h"
#include "prefetch/sweep.h"

/*
 * docs/decisions/io-engines.md has the figures behind these, from bench/micro-engine.
 *
 * Without seeks: opens wait for the device's latency, so many go out at once. Eight reads keep the device busy; in a
 * deeper queue the program's own reads, and the opens, would have to wait.
 */
static const struct prefetch_tuning tuning_touch = {
	.open_depth = 64,
	.read_depth = 16,
	.chunk = 128 << 10,
	.opens_first = false,
};

/*
 * With seeks: opens go out one after the other, in the order of the inodes, because several at once move the head to
 * and fro. Reads go into a deep queue: pages on which the program faults are then already in flight, and the head need
 * not come back.
 */
static const struct prefetch_tuning tuning_physical = {
	.open_depth = 1,
	.read_depth = 256,
	.chunk = 128 << 10,
	.opens_first = true,
};

/*
 * With seeks, while the program is running: several opens at once, although each takes longer. The disk then always has
 * work of ours before it turns to the program's reads, which would move the head away and back.
 */
static const struct prefetch_tuning tuning_physical_alongside = {
	.open_depth = 64,
	.read_depth = 256,
	.chunk = 128 << 10,
	.opens_first = true,
};

/*
 * A device that serves few reads at once is kept busy by twice as many, and the program's own reads and the opens wait
 * for no more than these. One that fetches what it reads from elsewhere wants to be told early what to fetch.
 */
static struct prefetch_tuning tuning_of_touch(uint32_t depth)
{
	struct prefetch_tuning tuning = tuning_touch;

	if (depth >= PLAN_DEPTH_LAZY)
		tuning.read_depth = tuning_physical.read_depth;
	else if (depth > 0 && depth < tuning.read_depth / 2)
		tuning.read_depth = depth > 2 ? 2 * depth : 4;
	return tuning;
}

static struct prefetch_tuning tuning_for(const struct plan_view *plan, const struct prefetch_options *options)
{
	if (LE32(plan->header->order) != PLAN_ORDER_PHYSICAL)
		return tuning_of_touch(LE32(plan->header->depth));
	return options->alongside ? tuning_physical_alongside : tuning_physical;
}

const char *prefetch_engine_name(enum prefetch_engine engine)
{
	static const char *const names[] = {"auto", "uring", "nowait", "fadvise", "read"};

	return (unsigned int)engine < sizeof(names) / sizeof(names[0]) ? names[engine] : "unknown";
}

/* What a run changes in its process and restores, because the launcher execs the user's program from it. */
struct process_state {
	struct rlimit files;
	int io_priority;
};

static struct process_state process_prepare(const struct prefetch_options *options)
{
	struct process_state was = {.io_priority = -1};
	struct rlimit most;

	if (getrlimit(RLIMIT_NOFILE, &was.files) == 0) {
		most = was.files;
		most.rlim_cur = most.rlim_max;
		setrlimit(RLIMIT_NOFILE, &most);
	}
	if (options->idle) {
		was.io_priority = (int)syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0);
		syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
	}
	return was;
}

static void process_restore(const struct process_state *was)
{
	if (was->files.rlim_max)
		setrlimit(RLIMIT_NOFILE, &was->files);
	if (was->io_priority >= 0)
		syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, was->io_priority);
}

static void run_engine(struct plan_job *job)
{
	enum prefetch_engine engine = job->options->engine;

	if (engine == PREFETCH_AUTO || engine == PREFETCH_URING) {
		job->result.engine = PREFETCH_URING;
		if (uring_run(job) == 0)
			return;
		engine = PREFETCH_NOWAIT; /* ENOSYS, or EPERM by seccomp or kernel.io_uring_disabled */
	}
	job->result.engine = engine;
	readahead_run(job, engine);
}

int prefetch_run_tuned(const struct plan_view *plan, const struct prefetch_options *options,
	const struct prefetch_tuning *tuning, struct prefetch_result *ret)
{
	const struct prefetch_tuning usual = tuning_for(plan, options);
	struct prefetch_options checked = *options;
	_cleanup_(plan_job_releasep) struct plan_job job = {0};
	struct process_state was;
	uint64_t before = 0, after = 0;
	bool blind = false;
	int r;

	checked.wait |= checked.verify;
	if (checked.verify)
		blind = residency_of_plan(plan, &before) < 0;
	was = process_prepare(&checked);
	r = plan_job_init(&job, plan, &checked, tuning ? tuning : &usual);
	if (r == 0) {
		sweep_run(&job);
		job.reads_before = disk_reads_so_far(); /* of data alone */
		run_engine(&job);
	}
	process_restore(&was);
	if (r < 0)
		return r;
	job.result.read_known =
		disk_reads_since(&job.reads_before, job.result.bytes_asked, &job.result.bytes_read);
	job.result.elapsed_us = monotonic_us() - job.start_us;
	if (job.tried < plan->file_count) /* a budget has ended the opening early */
		job.result.opened_us = job.result.elapsed_us;
	if (checked.verify && !blind)
		blind = residency_of_plan(plan, &after) < 0;
	job.result.verify_blind = blind;
	job.result.bytes_resident_before = before;
	job.result.bytes_resident_after = after;
	*ret = job.result;
	return 0;
}

int prefetch_run(
	const struct plan_view *plan, const struct prefetch_options *options, struct prefetch_result *ret)
{
	return prefetch_run_tuned(plan, options, NULL, ret);
}
