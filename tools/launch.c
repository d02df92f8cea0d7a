/* SPDX-License-Identifier: MIT */
/* The launcher's detached processes. */
#include "launch.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/open.h"
#include "detach.h"
#include "plan-lock.h"
#include "prefetch-log.h"
#include "prefetch/prefetch.h"
#include "prefetch/room.h"
#include "time-limit.h"
#include "tool-path.h"

/* Longest that the program's start is held back, and that a prefetcher works. */
#define WAIT_LIMIT_MS 30000

/*
 * A rotational disk serves the plan fastest when nothing moves its head elsewhere, so the program waits; elsewhere
 * the program's own work overlaps the reads (docs/decisions/when-the-program-waits.md).
 */
static enum launch_wait stage_to_wait_for(const struct launch *launch)
{
	if (detach_stays())
		return LAUNCH_WAIT_DONE; /* it is reaped before the program is started */
	if (launch->wait != LAUNCH_WAIT_AUTO)
		return launch->wait;
	return LE32(launch->view.header->order) == PLAN_ORDER_PHYSICAL ? LAUNCH_WAIT_DONE : LAUNCH_WAIT_NONE;
}

static void tell_stage(void *context, enum prefetch_stage stage)
{
	char letter = (char)('0' + stage);

	(void)!write(DETACHED_PIPE, &letter, 1);
}

static void compile(const void *context)
{
	time_limit_set(WAIT_LIMIT_MS);
	exec_planner(context);
}

static void carry_out(const void *context)
{
	const struct launch *launch = context;
	struct prefetch_options options = {
		.wait = true,
		.alongside = stage_to_wait_for(launch) == LAUNCH_WAIT_NONE,
		.time_budget_ms =
			launch->time_ms && launch->time_ms < WAIT_LIMIT_MS ? launch->time_ms : WAIT_LIMIT_MS,
		.memory_limit = launch->memory_limit,
		.reached = tell_stage,
	};
	struct prefetch_result result;
	struct stat plan_file;
	int plan_fd = open_regular(launch->plan_path, 0);

	time_limit_set(WAIT_LIMIT_MS);
	if (plan_fd >=
		0) /* to the end of this process, so that a shim in the program leaves the plan to us */
		plan_claim(plan_fd);
	if (plan_fd >= 0 && fstat(plan_fd, &plan_file) == 0)
		options.plan_owner = plan_file.st_uid;
	if (prefetch_run(&launch->view, &options, &result) < 0)
		return;
	close(DETACHED_PIPE);
	prefetch_log(&launch->view, &options, &result);
	if (result.outdated && plan_mark_stale(launch->plan_path) && launch->refresh)
		compile(plan_program(&launch->view));
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads stage letters until the one waited for, the end of the pipe (the prefetcher died), or the limit. */
static void await_stage(int pipe_end, enum launch_wait wait)
{
	char last = (char)('0' + (wait == LAUNCH_WAIT_OPEN ? PREFETCH_OPENED : PREFETCH_ARRIVED)), stage;
	struct pollfd pipe = {.fd = pipe_end, .events = POLLIN};
	int64_t left, limit = now_ms() + WAIT_LIMIT_MS;

	while (wait != LAUNCH_WAIT_NONE && (left = limit - now_ms()) > 0) {
		if (poll(&pipe, 1, (int)left) > 0 && (read(pipe_end, &stage, 1) != 1 || stage >= last))
			return;
	}
}

static void reap(pid_t child)
{
	while (child > 0 && waitpid(child, NULL, __WALL) < 0 && errno == EINTR)
		;
}

int launch_prefetcher(const struct launch *launch)
{
	_cleanup_close_ int pipe_end = -1;
	pid_t child;
	int r;

	if (process_room("") < PROCESS_ROOM_MIN)
		return -EAGAIN;
	r = detach(carry_out, launch, &pipe_end, &child);

	if (r < 0)
		return r;
	await_stage(pipe_end, stage_to_wait_for(launch));
	reap(child);
	return 0;
}

int launch_planner(const char *program)
{
	_cleanup_close_ int pipe_end = -1;
	pid_t child;

	if (process_room("") < PROCESS_ROOM_MIN)
		return -EAGAIN;
	return detach_stays() ? -ECHILD : detach(compile, program, &pipe_end, &child);
}
